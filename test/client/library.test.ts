// What the library adds to the endpoints: the environment, deletion, links, runs of many, and errors by kind.
import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  QuotaExceededError,
  RateLimitError,
  RenderError,
  RequestError,
  Tintype,
  TintypeError,
  UnavailableError,
  AuthenticationError,
} from '#client/index.ts';
import { contractErrors } from '#test/support/contract.ts';
import { json, picture, refusal, setUpClient } from './support.ts';

const set = setUpClient();

test('without options, address and key come from the environment; empty counts as not set', async () => {
  const { TINTYPE_URL, TINTYPE_API_KEY } = process.env;
  try {
    process.env['TINTYPE_URL'] = `${set.server.origin}/`;
    process.env['TINTYPE_API_KEY'] = 'tt_environment';
    await new Tintype().screenshot('https://x.test');
    assert.equal(set.server.seen[0]?.headers.authorization, 'Bearer tt_environment');
    await new Tintype({ apiKey: 'tt_given' }).screenshot('https://x.test');
    assert.equal(set.server.seen[1]?.headers.authorization, 'Bearer tt_given');
    process.env['TINTYPE_API_KEY'] = '';
    assert.throws(() => new Tintype(), /^TypeError: apiKey is missing/);
  } finally {
    restore('TINTYPE_URL', TINTYPE_URL);
    restore('TINTYPE_API_KEY', TINTYPE_API_KEY);
  }
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

const deleteUrl = 'https://images.example.com/api/uploads/up1/delete?token=abc';

test('delete takes an upload or its link, and sends no key', async () => {
  for (const upload of [deleteUrl, { deleteUrl }]) {
    set.server.play(json(200, { id: 'up1', deleted: true }));
    await set.client.delete(upload);
    const [request] = set.server.seen;
    assert.deepEqual(
      [request?.method, request?.url, request?.headers.authorization],
      ['POST', '/api/uploads/up1/delete?token=abc', undefined],
    );
  }
  await assert.rejects(set.client.delete('https://images.example.com/i/abc'), /^TypeError: delete takes/);
});

test('delete: gone is not_found, but not after an attempt whose answer was lost', async () => {
  set.server.play(refusal(404, 'not_found'));
  await assert.rejects(set.client.delete(deleteUrl), { code: 'not_found' });
  set.server.play((response) => void response.destroy(), refusal(404, 'not_found'));
  await set.client.delete(deleteUrl);
  assert.equal(set.server.seen.length, 2);
});

test('screenshotLink and pdfLink give the hosted link', async () => {
  set.server.play(json(200, { id: 'r1', url: 'http://x.test/s/r1' }));
  assert.equal(await set.client.screenshotLink('https://x.test', { width: 800 }), 'http://x.test/s/r1');
  assert.equal(await set.client.pdfLink('https://x.test'), 'http://x.test/s/r1');
  const bodies = set.server.seen.map(({ body }) => JSON.parse(body.toString()) as unknown);
  assert.deepEqual(bodies[0], { url: 'https://x.test', width: 800, response: 'json' });
});

test('screenshotAll: a refusal is waited for by the whole run, a failure is an outcome, options are per page', async () => {
  set.server.play(
    refusal(429, 'concurrency_limited', { 'retry-after': '3' }),
    picture,
    refusal(422, 'validation_error'),
    picture,
  );
  const pages = ['https://a.test', { url: 'https://b.test', width: 400 }, new URL('https://c.test')];
  const items = [];
  for await (const item of set.client.screenshotAll(pages, { format: 'webp', concurrency: 1 }))
    items.push(item);
  assert.equal(items.length, 3);
  assert.deepEqual(new Set(items.map(({ source }) => source)), new Set(pages));
  assert.equal(items.filter(({ ok }) => ok).length, 2);
  const bodies = set.server.seen.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
  assert.ok(bodies.every(({ format }) => format === 'webp'));
  assert.ok(bodies.some(({ url, width }) => url === 'https://b.test' && width === 400));
  assert.equal(bodies.length, 4);
  assert.throws(() => set.client.pdfAll('https://x.test'), /^TypeError: pdfAll takes a list/);
});

test('screenshotAll and pdfAll host with response: json', async () => {
  set.server.play(json(200, { id: 'r1', url: 'http://x.test/s/r1' }));
  const runs = [
    set.client.screenshotAll(['https://a.test'], { response: 'json' }),
    set.client.pdfAll(['https://b.test'], { response: 'json' }),
  ];
  for (const run of runs)
    for await (const item of run) assert.equal(item.ok && item.result.url, 'http://x.test/s/r1');
  const bodies = set.server.seen.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
  assert.deepEqual(bodies, [
    { url: 'https://a.test', response: 'json' },
    { url: 'https://b.test', response: 'json' },
  ]);
});

test('screenshotAll: a used-up quota ends the run with its error', async () => {
  set.server.play(picture, refusal(402, 'quota_exceeded'));
  const seen: boolean[] = [];
  await assert.rejects(async () => {
    for await (const { ok } of set.client.screenshotAll(
      ['https://a.test', 'https://b.test', 'https://c.test'],
      {
        concurrency: 1,
      },
    ))
      seen.push(ok);
  }, QuotaExceededError);
  assert.deepEqual(seen, [true, false]);
});

test('uploadAll gives an outcome for every file', async () => {
  set.server.play(json(201, { id: 'up_1', url: 'http://x.test/i/a' }));
  const items = [];
  for await (const item of set.client.uploadAll([Buffer.from('a'), 'nowhere.png'])) items.push(item);
  assert.equal(items.length, 2);
  assert.deepEqual(
    new Map(items.map(({ source, ok }) => [typeof source, ok])),
    new Map([
      ['object', true],
      ['string', false],
    ]),
  );
});

test('usage, listUploads and listRenders read the account', async () => {
  set.server.play(json(200, { items: [{ id: 'up_1', file_url: 'x' }], next_cursor: 'c' }));
  const page = await set.client.listUploads({ limit: 5, cursor: 'a b', search: 'x&y' });
  assert.deepEqual([page.items[0]?.fileUrl, page.nextCursor], ['x', 'c']);
  const [request] = set.server.seen;
  assert.deepEqual(
    [request?.method, request?.url],
    ['GET', '/api/account/uploads?limit=5&cursor=a+b&search=x%26y'],
  );
  set.server.play(json(200, { plan: { id: 'free' }, month: '2026-11', key: { expires_at: null } }));
  assert.equal((await set.client.usage()).plan.id, 'free');
});

test('a call may have its own number of retries', async () => {
  set.server.play((response) => void response.destroy());
  await assert.rejects(set.client.getUsage({ maxRetries: 0 }), { attempts: 1 });
  await assert.rejects(set.client.screenshot('https://x.test', { maxRetries: 1 }), { attempts: 2 });
  await assert.rejects(set.client.upload(Buffer.from('a'), { maxRetries: -1 }), /^TypeError: maxRetries/);
  await assert.rejects(set.client.getUsage({ maxRetries: -1 }), /^TypeError: maxRetries/);
  assert.equal(set.server.seen.length, 3);
});

test('what is thrown has the name and the class of its kind, and names fields as they were typed', async () => {
  const message = 'ful_page: unknown field; did you mean "full_page"? sent "some_value"';
  set.server.play(json(422, { error: { code: 'validation_error', message, field: 'viewport.pixel_ratio' } }));
  await assert.rejects(set.client.screenshot('https://x.test'), (error: unknown) => {
    assert.ok(error instanceof RequestError);
    assert.deepEqual([error.name, error.constructor.name], ['RequestError', 'RequestError']);
    assert.equal(error.message, 'fulPage: unknown field; did you mean "fullPage"? sent "some_value"');
    assert.equal(error.field, 'viewport.pixelRatio');
    assert.match(String(error.stack), /^RequestError: /);
    return true;
  });
  const wire = new Tintype({ baseUrl: set.server.origin, apiKey: 'tt_a', wireNames: true });
  await assert.rejects(wire.screenshot('https://x.test'), { message, field: 'viewport.pixel_ratio' });
  set.server.play(refusal(409, 'conflict_new'));
  await assert.rejects(set.client.screenshot('https://x.test'), {
    name: 'TintypeError',
    code: 'conflict_new',
  });
});

test('save writes a file whole, and over another one only if told so', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tintype-save-'));
  const path = join(folder.path, 'a.png');
  const file = await set.client.screenshot('https://x.test');
  assert.equal(await file.save(path), path);
  await assert.rejects(file.save(path), { code: 'EEXIST' });
  await writeFile(path, 'other');
  await file.save(path, { overwrite: true });
  assert.equal(await readFile(path, 'utf8'), 'picture');
  await assert.rejects(file.save(join(folder.path, 'none', 'a.png')), { code: 'ENOENT' });
  assert.deepEqual(await readdir(folder.path), ['a.png']);
});

test('each error is of its kind, says whether to try again, and can be written to a log', () => {
  const kinds = [
    AuthenticationError,
    QuotaExceededError,
    RequestError,
    RateLimitError,
    RenderError,
    UnavailableError,
  ];
  const cases: [error: TintypeError, kind: (typeof kinds)[number], isRetryable: boolean][] = [
    [new TintypeError('unauthorized', 'm', { status: 401 }), AuthenticationError, false],
    [new TintypeError('quota_exceeded', 'm', { status: 402 }), QuotaExceededError, false],
    [new TintypeError('validation_error', 'm', { status: 422 }), RequestError, false],
    [new TintypeError('concurrency_limited', 'm', { status: 429 }), RateLimitError, true],
    [new TintypeError('capture_failed', 'm', { status: 502 }), RenderError, true],
    [new TintypeError('connection_failed', 'm'), UnavailableError, true],
  ];
  for (const [error, kind, isRetryable] of cases) {
    assert.ok(error instanceof TintypeError && error instanceof Error);
    assert.deepEqual(
      kinds.filter((known) => error instanceof known),
      [kind],
    );
    assert.equal(error.isRetryable, isRetryable);
    assert.deepEqual((JSON.parse(JSON.stringify(error)) as { message: string }).message, 'm');
  }
  for (const { code, status, retryable } of contractErrors) {
    const error = new TintypeError(code, 'm', { status });
    const names = kinds.filter((known) => error instanceof known).map(({ name }) => name);
    assert.equal(names.length, 1, `${code}: ${names.join()}`);
    assert.equal(error.isRetryable, retryable, code);
  }
  // A newer service may have codes that this client does not know.
  for (const [status, isRetryable] of [
    [418, false],
    [429, true],
    [503, true],
  ] as const) {
    const error = new TintypeError('constructor', 'm', { status });
    assert.deepEqual(
      [kinds.some((known) => error instanceof known), error.isRetryable],
      [false, isRetryable],
    );
  }
  assert.equal(new Error('x') instanceof TintypeError, false);
  assert.equal({ code: 'unauthorized' } instanceof TintypeError, false);
});
