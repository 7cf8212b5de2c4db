// POST /api/v2/uploads with JSON: the file is fetched from an address, within the same limits and through the checked dialer. Spec 10.8.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { callsOf, type Call, type Failure, type List } from '#test/support/calls-v2.ts';
import { jpeg, png } from '#test/support/images.ts';
import { receiverAddress, startReceiver, type Receiver } from '#test/support/receiver.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
let receiver: Receiver;
let call: Call;
before(async () => {
  receiver = await startReceiver();
  service = await startService({
    EGRESS_ALLOW: receiverAddress,
    PLANS_FILE: new URL('../../fixtures/plans.json', import.meta.url).pathname,
  });
  call = callsOf(service.origin, (await service.newKey()).key);
});
after(async () => {
  await service.stop();
  await receiver.close();
});

const fetched = <T = Upload>(body: object, headers?: Record<string, string>) =>
  call<T>('POST', '/uploads', { body, ...(headers && { headers }) });
const refused = async (url: string) => {
  const { status, body } = await fetched<Failure>({ url });
  const { code, field, reason, retryable, message } = body.error;
  assert.ok(message.startsWith('url: '), message);
  return [status, code, field, reason, retryable];
};

test('10.8 201: the file of the address with the fields of a form', async () => {
  const bytes = await png(30, 20);
  receiver.answer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(bytes));
  const { status, headers, body } = await fetched({
    url: `${receiver.base}/pictures/a%20beach.gif?size=large`,
    title: 'A beach',
    tags: ['sea', 'sea '],
    expires_in: 3600,
  });
  assert.equal(status, 201, JSON.stringify(body));
  assert.match(headers.get('x-service-quota-remaining') ?? '', /^\d+$/);
  assert.deepEqual(
    [body.filename, body.content_type, body.width, body.height, body.title, body.tags],
    ['a beach.png', 'image/png', 30, 20, 'A beach', ['sea']],
  );
  const served = await fetch(body.file_url.replace('http://tintype.test', service.origin));
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
  const sent = receiver.received.at(-1);
  assert.deepEqual([sent?.method, sent?.headers.authorization], ['GET', undefined]);
  const named = await fetched({ url: `${receiver.base}/`, filename: 'b.png' });
  assert.equal(named.body.filename, 'b.png');
});

test('10.8 a repeat with the same Idempotency-Key does not fetch again, even if the file has changed', async () => {
  receiver.answer((_, response) => void jpeg().then((bytes) => response.end(bytes)));
  const headers = { 'idempotency-key': 'fetch-once' };
  const first = await fetched({ url: `${receiver.base}/a` }, headers);
  const count = receiver.received.length;
  receiver.answer((_, response) => void response.writeHead(404).end());
  const again = await fetched({ url: `${receiver.base}/a` }, headers);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal(receiver.received.length, count);
  const other = await fetched<Failure>({ url: `${receiver.base}/b` }, headers);
  assert.deepEqual([other.status, other.body.error.field], [422, 'Idempotency-Key']);
});

test('10.8 502 fetch_failed: statuses, redirects, and what does not answer; nothing is stored', async () => {
  const fresh = await service.newKey();
  call = callsOf(service.origin, fresh.key);
  for (const [answered, reason, retryable] of [
    [404, 'http_error', false],
    [206, 'http_error', false],
    [500, 'http_error', true],
    [429, 'http_error', true],
    [302, 'redirect', false],
  ] as const) {
    receiver.answer((_, response) => void response.writeHead(answered, { location: '/other' }).end());
    assert.deepEqual(await refused(`${receiver.base}/a.png`), [
      502,
      'fetch_failed',
      'url',
      reason,
      retryable,
    ]);
    assert.notEqual(receiver.received.at(-1)?.path, '/other');
  }
  const mute = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('no HTTP\r\n\r\n'),
  );
  await new Promise<void>((resolve) => void mute.listen(0, receiverAddress, resolve));
  const { port } = mute.address() as { port: number };
  assert.deepEqual(await refused(`http://${receiverAddress}:${port}/`), [
    502,
    'fetch_failed',
    'url',
    'malformed',
    false,
  ]);
  await new Promise((resolve) => void mute.close(resolve));
  assert.deepEqual(await refused(`http://${receiverAddress}:${port}/`), [
    502,
    'fetch_failed',
    'url',
    'unreachable',
    true,
  ]);
  assert.deepEqual((await call<List<Upload>>('GET', '/uploads')).body.items, []);
});

test('10.8 413 as soon as there is a byte too many, declared or not; 415 for what is no picture', async () => {
  receiver.answer((_, response) => void response.writeHead(200, { 'content-length': 11e6 }).end());
  assert.deepEqual((await refused(`${receiver.base}/a`)).slice(0, 3), [413, 'file_too_large', 'url']);
  // Endless: it is given up after 10 MB.
  const chunk = Buffer.alloc(64 * 1024);
  receiver.answer((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  assert.deepEqual((await refused(`${receiver.base}/a`)).slice(0, 3), [413, 'file_too_large', 'url']);
  await waitFor('the connection to end', () => receiver.connections() === 0);
  receiver.answer((_, response) => void response.end('hello'));
  assert.deepEqual((await refused(`${receiver.base}/a`)).slice(0, 3), [415, 'unsupported_type', 'url']);
});

test('10.8 422: addresses that are not public or no addresses, and unknown fields', async () => {
  for (const url of [
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost:3000/',
    'ftp://example.com/a.png',
    'a.png',
    'https://user:secret@example.com/',
  ])
    assert.deepEqual((await refused(url)).slice(0, 3), [422, 'validation_error', 'url'], url);
  for (const [body, field] of [
    [{ title: 'a' }, 'url'],
    [{ url: receiver.base, file: 'x' }, 'file'],
    [{ url: receiver.base, tags: 'a' }, 'tags'],
    [{ url: receiver.base, expires_in: 5 }, 'expires_in'],
  ] as const)
    assert.equal((await fetched<Failure>(body)).body.error.field, field);
});

test('10.8 a client that hangs up ends the fetch', async () => {
  receiver.answer((_, response) => void response.writeHead(200).write('x'));
  const control = new AbortController();
  const { key } = await service.newKey();
  const pending = fetch(`${service.origin}/api/v2/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${receiver.base}/slow` }),
    signal: control.signal,
  }).catch((error: Error) => error.name);
  await receiver.next(({ path }) => path === '/slow');
  control.abort();
  assert.equal(await pending, 'AbortError');
  await waitFor('the connection to end', () => receiver.connections() === 0);
});
