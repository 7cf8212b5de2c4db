// POST /api/v1/screenshot over HTTP, clause by clause. test/browser checks the content of the pictures, and
// the recorded exchanges have every rule of a field.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, post, type Answer, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let page: string;
let key: string;

before(async () => {
  site = await startPageServer({
    '/': '<!doctype html><body style="background:#fc0"><h1>Hello</h1>',
    '/missing': (_request, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>'),
    '/nothing': (_request, response) => response.writeHead(204).end(),
    '/file': (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
        .end('PK'),
    '/away': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.2:9/' }).end(),
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  page = `${site.base}/`;
  ({ key } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

const headers = (withKey = key) => ({ ...bearer(withKey), 'content-type': 'application/json' });
const ask = <T = ErrorBody>(body: unknown, withKey = key): Promise<Answer<T>> =>
  post<T>(`${service.origin}/api/v1/screenshot`, {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: headers(withKey),
  });
const shoot = (body: object, withKey = key) =>
  fetch(`${service.origin}/api/v1/screenshot`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: headers(withKey),
  });
const rendersUsed = (accountId: string) =>
  service.database.tables.usage.read({
    accountId,
    unit: 'render',
    month: new Date().toISOString().slice(0, 7),
  });

test('4.3 by default: a PNG of 1440 x 900 as bytes, with its headers', async () => {
  const response = await shoot({ url: page });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/png');
  const { format, width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  assert.deepEqual([format, width, height], ['png', 1440, 900]);
  assert.match(response.headers.get('x-service-id') ?? '', /^\w{20}$/);
  assert.match(response.headers.get('x-service-duration-ms') ?? '', /^\d+$/);
  assert.equal(response.headers.get('x-service-ratelimit-limit'), '3000');
  assert.equal(response.headers.get('x-service-quota-limit'), '100000');
  for (const phase of ['queue', 'navigate', 'settle', 'capture', 'encode', 'store']) {
    assert.match(response.headers.get('server-timing') ?? '', new RegExp(`${phase};dur=[\\d.]+`));
  }
});

for (const [format, width, height] of [
  ['jpeg', 320, 320],
  ['webp', 640, 480],
  ['png', 3840, 2160],
] as const) {
  test(`4.3 ${format} of ${width} x ${height}`, async () => {
    const response = await shoot({ url: page, format, width, height });
    assert.equal(response.headers.get('content-type'), `image/${format}`);
    const metadata = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    assert.deepEqual([metadata.format, metadata.width, metadata.height], [format, width, height]);
  });
}

test('2.3 JSON: all eight fields, a hosted picture, and no byte headers', async () => {
  const { status, headers, body } = await ask<Record<string, unknown>>({
    url: page,
    response: 'json',
    full_page: true,
    format: 'jpeg',
  });
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(Object.keys(body).sort(), [
    'duration_ms',
    'format',
    'full_page',
    'height',
    'id',
    'size_bytes',
    'url',
    'width',
  ]);
  assert.deepEqual([body.format, body.width, body.height, body.full_page], ['jpeg', 1440, 900, true]);
  assert.equal(body.url, `http://tintype.test/s/${String(body.id)}`);
  assert.equal(headers.get('x-service-id'), null);
  assert.equal(headers.get('x-service-duration-ms'), null);
  assert.equal(headers.get('x-service-quota-limit'), '100000');

  const hosted = await fetch(`${service.origin}/s/${String(body.id)}`);
  assert.equal(hosted.headers.get('content-type'), 'image/jpeg');
  assert.equal(hosted.headers.get('x-content-type-options'), 'nosniff');
  assert.match(hosted.headers.get('content-security-policy') ?? '', /sandbox/);
  assert.equal((await hosted.arrayBuffer()).byteLength, body.size_bytes);
  assert.equal((await fetch(`${service.origin}/s/${String(body.id)}.jpg`)).status, 200);
  assert.equal((await fetch(`${service.origin}/s/${String(body.id)}.png`)).status, 404);
  assert.equal((await fetch(`${service.origin}/p/${String(body.id)}`)).status, 404);
});

test('4.3 url: an address is taken as people paste it, and requested as a browser writes it', async () => {
  for (const [given, requested] of [
    ['?q=Köln', '?q=K%C3%B6ln'],
    ['日本語', '%E6%97%A5%E6%9C%AC%E8%AA%9E'],
    ['?filter[a]={1|2}', '?filter[a]={1|2}'],
    ['a b?100%', 'a%20b?100%'],
    ['#!/Füße', '#!/F%C3%BC%C3%9Fe'],
  ] as const) {
    const { status, headers } = await shoot({ url: page + given });
    assert.equal(status, 200, given);
    const row = await service.database.tables.renders.byId(headers.get('x-service-id') ?? '');
    assert.equal(row?.target, page + requested);
  }
});

test('a render requested as bytes is recorded but not hosted', async () => {
  const id = (await shoot({ url: page })).headers.get('x-service-id') ?? '';
  assert.equal((await fetch(`${service.origin}/s/${id}`)).status, 404);
  const row = await service.database.tables.renders.byId(id);
  assert.deepEqual([row?.target, row?.hosted, row?.failure], [page, 0, null]);
});

test('4.3 an invalid field is a validation_error that names it, and nothing is metered', async () => {
  const fresh = await service.newKey();
  for (const body of [{}, { url: 'http://10.1.2.3/' }, { url: page, width: 319 }, '{"url":']) {
    const answer = await ask(body, fresh.key);
    assert.deepEqual([answer.status, answer.body.error.code], [422, 'validation_error']);
    assert.match(answer.body.error.message, /^(?:url|width|body): /);
    assert.equal(answer.headers.get('x-service-quota-limit'), null);
  }
  assert.equal((await rendersUsed(fresh.accountId)).used, 0);
});

test('the message never echoes a password', async () => {
  for (const url of ['http://user:hunter2@example.com/', 'http://user:hunter2@exa mple.com/']) {
    const { body } = await ask({ url });
    assert.match(body.error.message, /^url: /);
    assert.doesNotMatch(body.error.message, /hunter2/);
  }
});

describe('7 a page that cannot be captured is capture_failed, not metered, and frees its slot', () => {
  for (const [name, path] of [
    ['does not resolve', 'http://no-such-name.invalid/'],
    ['answers 204', '/nothing'],
    ['is a download', '/file'],
    ['redirects to a forbidden address', '/away'],
  ] as const) {
    test(name, async () => {
      const fresh = await service.newKey({ plan: 'free' });
      const answer = await ask({ url: path.startsWith('/') ? site.base + path : path }, fresh.key);
      assert.deepEqual([answer.status, answer.body.error.code], [502, 'capture_failed']);
      assert.equal((await rendersUsed(fresh.accountId)).used, 0);
      // The Free plan has one slot: if it were not free again, this would be a 429.
      assert.equal((await shoot({ url: page }, fresh.key)).status, 200);
    });
  }
});

test('4.3 an upstream error page is captured like any page', async () => {
  assert.equal((await shoot({ url: `${site.base}/missing` })).status, 200);
});

test('Idempotency-Key: a repeat replays the answer and is metered once; other content is refused', async () => {
  const fresh = await service.newKey();
  const init = (body: object) => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers(fresh.key), 'idempotency-key': 'abc' },
  });
  const url = `${service.origin}/api/v1/screenshot`;
  const [first, second] = await Promise.all([
    fetch(url, init({ url: page })),
    fetch(url, init({ url: page })),
  ]);
  assert.equal(first.headers.get('x-service-id'), second.headers.get('x-service-id'));
  assert.deepEqual(Buffer.from(await first.arrayBuffer()), Buffer.from(await second.arrayBuffer()));
  const replayed = [first, second].filter((answer) => answer.headers.get('idempotent-replayed') === 'true');
  assert.equal(replayed.length, 1);
  assert.equal((await rendersUsed(fresh.accountId)).used, 1);
  const other = await post(url, init({ url: page, width: 400 }));
  assert.deepEqual([other.status, other.body.error.code], [422, 'validation_error']);
  assert.match(other.body.error.message, /Idempotency-Key/);
});
