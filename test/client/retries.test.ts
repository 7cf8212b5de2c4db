// Every case of Spec 7 in turn, from a server that fails as told: attempts and waits are exact.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tintype, TintypeError } from '#client/index.ts';
import { final, persisting, reset, succeeding } from './retry-cases.ts';
import { json, page, picture, refusal, setUpClient, type Fault } from './support.ts';

const set = setUpClient();

const uploaded = json(201, { id: 'up_1', slug: 'abc', file_url: 'http://x/f/abc', expires_at: null });
const batchOf = (error: { code: string; message: string }) => ({
  items: [{ ok: false, index: 0, source_filename: 'a.png', error }],
  summary: { total: 1, succeeded: 0, failed: 1 },
});

for (const { title, faults, waits } of succeeding) {
  test(`7 ${title}`, async () => {
    set.server.play(...faults);
    const { bytes, id, contentType, durationMs, meta } = await set.client.screenshot('https://example.com/');
    assert.equal(Buffer.from(bytes).toString(), 'picture');
    assert.deepEqual([id, contentType, durationMs], ['cap_1', 'image/png', 412]);
    assert.equal(set.server.seen.length, faults.length);
    assert.equal(meta.attempts, faults.length);
    assert.deepEqual(set.clock.waits, waits);
    assert.equal(new Set(set.server.seen.map((request) => request.idempotencyKey)).size, 1);
    assert.match(set.server.seen[0]?.idempotencyKey ?? '', /^[0-9a-f]{32}$/);
    assert.ok(set.clock.deadlines.every(({ ms, isSet }) => ms === 105_000 && !isSet));
  });
}

for (const { status, code } of final) {
  test(`7 ${status} ${code} is never retried`, async () => {
    set.server.play(refusal(status, code, { 'retry-after': '1' }));
    const error = await failure(set.client.screenshot('https://example.com/'));
    assert.deepEqual([error.code, error.status, error.attempts], [code, status, 1]);
    assert.equal(error.message, `told: ${code}`);
    assert.equal(error.requestId, 'req-1');
    assert.deepEqual(error.meta?.rateLimit, { limit: 120, remaining: 7, resetSeconds: 31 });
    assert.equal(set.server.seen.length, 1);
    assert.deepEqual(set.clock.waits, []);
  });
}

for (const { title, fault, code, waits } of persisting) {
  test(`7 ${title}, and it persists: stops with ${code}`, async () => {
    set.server.play(fault);
    const error = await failure(set.client.screenshot('https://example.com/'));
    assert.equal(error.code, code);
    assert.deepEqual(set.clock.waits, waits);
    assert.equal(set.server.seen.length, waits.length + 1);
    assert.doesNotMatch(error.message + String(error.cause), /tt_secret/);
  });
}

test('7 a slow body runs into the deadline of its attempt, and is asked for again at most twice', async () => {
  const slow: Fault = (response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' });
    response.write('p', () => set.clock.deadlines.at(-1)?.expire());
  };
  set.server.play(slow, picture);
  const { meta } = await set.client.screenshot('https://example.com/');
  assert.equal(meta.attempts, 2);
  assert.deepEqual(set.clock.waits, [750]);

  set.server.play(slow);
  const error = await failure(set.client.pdf('https://example.com/'));
  assert.deepEqual([error.code, error.attempts], ['timeout', 3]);
  assert.deepEqual(
    set.clock.deadlines.map(({ ms }) => ms),
    [105_000, 105_000, 120_000, 120_000, 120_000],
  );
});

test('7 a retried upload sends the same bytes under the same Idempotency-Key', async () => {
  set.server.play(reset, page(503), uploaded);
  const result = await set.client.upload({ data: Buffer.from('image'), filename: 'a"b\r\n.png' });
  assert.deepEqual([result.id, result.fileUrl, result.expiresAt], ['up_1', 'http://x/f/abc', null]);
  assert.equal(set.server.seen.length, 3);
  const [first, ...others] = set.server.seen;
  assert.ok(others.every(({ body }) => first?.body.equals(body)));
  assert.equal(new Set(set.server.seen.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
  assert.match(first?.body.toString() ?? '', /filename="a%22b%0D%0A\.png"\r\n/);
  assert.equal(set.clock.deadlines[0]?.ms, 300_000);
});

test('7 an upload that is a stream is sent again whole', async () => {
  async function* chunks() {
    yield Buffer.from('one');
    yield Buffer.from('two');
  }
  set.server.play(reset, uploaded);
  await set.client.upload(chunks());
  assert.ok(set.server.seen.every(({ body }) => body.includes('\r\n\r\nonetwo\r\n--')));
  assert.equal(set.server.seen.length, 2);
});

test('7 two calls have two keys, and a key that the caller gives is used', async () => {
  set.server.play(picture);
  await set.client.screenshot('https://example.com/');
  await set.client.screenshot('https://example.com/');
  await set.client.screenshot('https://example.com/', { idempotencyKey: 'mine' });
  const keys = set.server.seen.map(({ idempotencyKey }) => idempotencyKey);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], 'mine');
  assert.deepEqual(JSON.parse(set.server.seen[2]?.body.toString() ?? ''), { url: 'https://example.com/' });
});

test('4.2.5 a batch of which every file failed is a result; with 500 it is tried again first', async () => {
  set.server.play(json(415, batchOf({ code: 'unsupported_type', message: 'no' })));
  const refused = await set.client.uploadBatch([Buffer.from('a')]);
  assert.deepEqual(refused.summary, { total: 1, succeeded: 0, failed: 1 });
  assert.equal(set.server.seen.length, 1);

  set.server.play(json(500, batchOf({ code: 'internal', message: 'no' })));
  const failed = await set.client.uploadBatch([Buffer.from('a')]);
  assert.equal(failed.items[0]?.ok, false);
  assert.equal(set.server.seen.length, 5);
  assert.deepEqual(set.clock.waits, [750, 1500, 3000, 6000]);
});

test('an error says whether it is worth another try, and shows itself in JSON', async () => {
  set.server.play(refusal(422, 'validation_error'));
  const refused = await failure(set.client.screenshot('https://example.com/'));
  assert.equal(refused.isRetryable, false);
  assert.deepEqual(JSON.parse(JSON.stringify(refused)), {
    name: 'RequestError',
    code: 'validation_error',
    message: 'told: validation_error',
    status: 422,
    requestId: 'req-1',
    attempts: 1,
  });
  set.server.play(refusal(429, 'rate_limited', { 'retry-after': '301' }));
  assert.equal((await failure(set.client.screenshot('https://example.com/'))).isRetryable, true);
});

test('requests name the client and its version', async () => {
  set.server.play(picture);
  await set.client.screenshot('https://example.com/');
  assert.match(set.server.seen[0]?.headers['user-agent'] ?? '', /^tintype-client\/\d+\.\d+\.\d+/);
});

test('onRetry is told of each wait and can refuse it', async () => {
  const told: string[] = [];
  const watched = new Tintype({
    baseUrl: set.server.origin,
    apiKey: 'tt_secret',
    clock: set.clock,
    onRetry({ error, attempts, delayMs }) {
      told.push(`${error.code} ${attempts} ${delayMs}`);
      return attempts < 2;
    },
  });
  set.server.play(page(503));
  assert.equal((await failure(watched.screenshot('https://example.com/'))).attempts, 2);
  assert.deepEqual(told, ['unavailable 1 750', 'unavailable 2 1500']);
});

test('AbortSignal ends a request under way and a wait, with its own reason', async () => {
  const controller = new AbortController();
  set.server.play(() => controller.abort(new Error('enough')));
  await assert.rejects(
    set.client.screenshot('https://example.com/', { signal: controller.signal }),
    /^Error: enough$/,
  );
  assert.equal(set.server.seen.length, 1);

  const waiting = new AbortController();
  const patient = new Tintype({
    baseUrl: set.server.origin,
    apiKey: 'tt_secret',
    onRetry: () => setImmediate(() => waiting.abort(new Error('enough'))) && true,
  });
  set.server.play(refusal(429, 'rate_limited', { 'retry-after': '60' }));
  await assert.rejects(
    patient.screenshot('https://example.com/', { signal: waiting.signal }),
    /^Error: enough$/,
  );
  assert.equal(set.server.seen.length, 1);

  await assert.rejects(
    set.client.upload(Buffer.from('a'), { signal: AbortSignal.abort(new Error('before')) }),
    /before/,
  );
  assert.equal(set.server.seen.length, 1);
});

test('a key that cannot be a header is refused without being shown', () => {
  assert.throws(
    () => new Tintype({ baseUrl: set.server.origin, apiKey: 'tt_secret\n' }),
    (error: Error) => error instanceof TypeError && !error.message.includes('tt_secret'),
  );
});

async function failure(promise: Promise<unknown>): Promise<TintypeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TintypeError, `not a TintypeError: ${String(error)}`);
  return error;
}

test('a download is retried like a call, follows a redirect, and carries no key', async () => {
  const { server, client, clock } = set;
  server.play(page(503), picture);
  const { meta } = await client.download(`${server.origin}/s/cap_1`);
  assert.deepEqual([meta.attempts, clock.waits], [2, [750]]);
  const toStore: Fault = (response) => void response.writeHead(302, { location: '/store/1' }).end();
  server.play(toStore, picture);
  const { bytes } = await client.download('https://images.example.com/s/cap_1');
  assert.equal(Buffer.from(bytes).toString(), 'picture');
  assert.deepEqual(
    server.seen.map(({ method, url, headers }) => [method, url, headers.authorization]),
    [
      ['GET', '/s/cap_1', undefined],
      ['GET', '/store/1', undefined],
    ],
  );
});
