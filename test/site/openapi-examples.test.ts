// The examples of the OpenAPI document are what the service takes and says: each request is sent, each error is provoked.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { errorTable, toServiceError, type ErrorCode } from '#core/errors.ts';
import { buildOpenapi } from '#site/openapi/document.ts';
import { answers, requests } from '#site/openapi/examples.ts';
import { png, pngOfSize } from '#test/support/images.ts';
import { bearer, formOf, post, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

const paths: Record<string, string> = {
  uploadImage: '/api/v1/upload',
  uploadImages: '/api/v1/upload/batch',
  captureScreenshot: '/api/v1/screenshot',
  renderPdf: '/api/v1/pdf',
};

let service: TestService;
let key: string;
/** Answers a page at `/`, and at `/slow` nothing until the test is over. */
const site = createServer((request, response) => {
  if (request.url === '/')
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Hello</h1>');
});
let page: string;
/** Where nothing listens any more. */
let closed: string;

before(async () => {
  const brief = createServer().listen(0, '127.0.0.1');
  await once(brief, 'listening');
  closed = `127.0.0.1:${(brief.address() as AddressInfo).port}`;
  brief.close();
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  page = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  service = await startService({
    EGRESS_ALLOW: '127.0.0.1',
    PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname,
  });
  ({ key } = await service.newKey());
});
after(async () => {
  site.closeAllConnections();
  site.close();
  await service.stop();
});

const files: Record<string, () => Promise<Buffer>> = {
  '@photo.png': png,
  '@notes.txt': async () => Buffer.from('not an image'),
};

/** An example as a client sends it, with the test's own page in place of example.com. */
async function bodyOf(example: Record<string, unknown>): Promise<RequestInit> {
  if (example['file'] === undefined)
    return render({ ...example, url: String(example['url']).replace('https://example.com/', page) });
  const names = [example['file']].flat() as string[];
  const parts = await Promise.all(
    names.map(async (name): Promise<[Buffer, string]> => [await files[name]!(), name.slice(1)]),
  );
  return { headers: bearer(key), body: formOf(parts, { expires_in: String(example['expires_in']) }) };
}

const render = (fields: object, as = key): RequestInit => ({
  headers: { ...bearer(as), 'content-type': 'application/json' },
  body: JSON.stringify(fields),
});

/** Names and types, without values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

const answerOf: Record<string, object> = {
  uploadImage: answers.UploadResult,
  uploadImages: answers.batchMixed,
  captureScreenshot: answers.ScreenshotMetadata,
  renderPdf: answers.PdfMetadata,
};
const bytesOf: Record<string, string> = { captureScreenshot: 'image/png', renderPdf: 'application/pdf' };

for (const [operation, examples] of Object.entries(requests)) {
  for (const [name, example] of Object.entries(examples)) {
    test(`${operation}: ${name}`, async () => {
      const init = await bodyOf(example);
      const answer = await fetch(service.origin + paths[operation], { method: 'POST', ...init });
      assert.ok(answer.status < 300, await answer.clone().text());
      const type = answer.headers.get('content-type') ?? '';
      if (!type.startsWith('application/json')) {
        assert.equal(type, bytesOf[operation]);
        return;
      }
      const body = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(shapeOf(body), shapeOf(answerOf[operation]));
      for (const [field, value] of Object.entries(example)) {
        if (field in body && field !== 'url') assert.deepEqual(body[field], value, field);
      }
    });
  }
}

test('a batch that is stored whole, and one of which every file failed', async () => {
  const send = async (file: string) =>
    post<unknown>(`${service.origin}/api/v1/upload/batch`, await bodyOf({ file: [file], expires_in: 60 }));
  assert.deepEqual(shapeOf((await send('@photo.png')).body), shapeOf(answers.batchStored));
  assert.deepEqual((await send('@notes.txt')).body, answers.batchFailed);
});

test('the delete link, and what a key reads of its account', async () => {
  const { body } = await post<typeof answers.UploadResult>(
    `${service.origin}/api/v1/upload`,
    await bodyOf({ file: '@photo.png', expires_in: 86400 }),
  );
  for (const name of ['uploads', 'renders', 'usage'] as const) {
    const answer = await fetch(`${service.origin}/api/account/${name}?${name === 'usage' ? '' : 'limit=1'}`, {
      headers: bearer(key),
    });
    const { next_cursor: _told, ...told } = shapeOf(await answer.json()) as Record<string, unknown>;
    const example = {
      uploads: answers.AccountUploads,
      renders: answers.AccountRenders,
      usage: answers.AccountUsage,
    };
    const { next_cursor: _shown, ...shown } = shapeOf(example[name]) as Record<string, unknown>;
    assert.deepEqual(Object.keys(told), Object.keys(shown), name);
    if (name === 'uploads') assert.deepEqual(told, shown);
  }
  const { pathname, search } = new URL(body.delete_url);
  const deleted = await post<unknown>(service.origin + pathname + search);
  assert.deepEqual(deleted.body, { ...answers.Deleted, id: body.id });
});

const upload = async (form: FormData, as = key) =>
  post(`${service.origin}/api/v1/upload`, { headers: bearer(as), body: form });
const capture = (url: string, as = key, kind = 'screenshot') =>
  post(`${service.origin}/api/v1/${kind}`, render({ url }, as));

/** Those of version 1. */
type Code = Exclude<
  ErrorCode,
  'internal' | 'forbidden' | 'request_too_large' | 'queue_full' | 'fetch_failed'
>;

/** How each error comes about. */
const provoke: Record<Code, () => Promise<{ body: ErrorBody }>> = {
  unauthorized: () => upload(new FormData(), 'tt_wrong'),
  async quota_exceeded() {
    const { key: spent } = await service.newKey({ plan: 'two-uploads' });
    for (let count = 0; count < 2; count += 1) await upload(formOf([[await png(), 'a.png']]), spent);
    return upload(formOf([[await png(), 'a.png']]), spent);
  },
  not_found: () => post(`${service.origin}/api/v1/nothing`),
  method_not_allowed: () => post(`${service.origin}/api/v1/upload`, { method: 'PUT' }),
  file_too_large: async () => upload(formOf([[await pngOfSize(10 * 1024 * 1024 + 1), 'a.png']])),
  async batch_too_large() {
    const file = await pngOfSize(9 * 1024 * 1024);
    const form = formOf(Array.from({ length: 6 }, (): [Buffer, string] => [file, 'a.png']));
    return post(`${service.origin}/api/v1/upload/batch`, { headers: bearer(key), body: form });
  },
  unsupported_type: () => upload(formOf([[Buffer.from('not an image'), 'notes.txt']])),
  validation_error: async () => upload(formOf([[await png(), 'a.png']], { expires_in: '5' })),
  async too_many_files() {
    const file = await png();
    const form = formOf(Array.from({ length: 11 }, (): [Buffer, string] => [file, 'a.png']));
    return post(`${service.origin}/api/v1/upload/batch`, { headers: bearer(key), body: form });
  },
  async rate_limited() {
    service.clock.hold();
    const { key: slow } = await service.newKey({ plan: 'three-a-minute' });
    for (let count = 0; count < 3; count += 1) await upload(new FormData(), slow);
    return upload(new FormData(), slow);
  },
  async concurrency_limited() {
    const { key: one } = await service.newKey({ plan: 'three-a-minute' });
    const asked = new Promise((resolve) => site.once('request', resolve));
    const stop = new AbortController();
    const first = fetch(`${service.origin}/api/v1/screenshot`, {
      ...render({ url: `${page}slow` }, one),
      method: 'POST',
      signal: stop.signal,
    }).catch(() => undefined);
    await asked;
    const refused = await capture(page, one);
    stop.abort();
    await first;
    return refused;
  },
  capture_failed: () => capture(`http://${closed}/`),
  render_failed: () => capture(`http://${closed}/`, key, 'pdf'),
};

for (const [code, run] of Object.entries(provoke)) {
  test(`${code} says what its example says`, async () => {
    const { body } = await run();
    body.error.message = body.error.message.replace(closed, 'example.com');
    assert.deepEqual(body, { error: { code, message: errorTable[code as ErrorCode].example } });
  });
}

test('internal says what its example says', () => {
  assert.equal(toServiceError(new Error('a secret')).message, errorTable.internal.example);
});

test('every request and every JSON answer of the document has an example', () => {
  const without: string[] = [];
  (function look(value: unknown, place: string): void {
    if (typeof value !== 'object' || value === null) return;
    const { content } = value as { content?: Record<string, { examples?: object }> };
    for (const [type, media] of Object.entries(content ?? {})) {
      if (/json|form-data/.test(type) && Object.keys(media.examples ?? {}).length === 0)
        without.push(`${place} ${type}`);
    }
    for (const [name, inner] of Object.entries(value)) look(inner, `${place}/${name}`);
  })(buildOpenapi('/'), '');
  assert.deepEqual(without, []);
});
