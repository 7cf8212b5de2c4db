// The library's calls of version 2 against a real service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { RenderError, RequestError, Tintype, TintypeError } from '#client/index.ts';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createFakeClock } from './support.ts';

let service: TestService;
let site: PageServer;
let client: Tintype;
let retries = 0;

before(async () => {
  site = await startPageServer({
    '/': (request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><title>Hello</title><h1>Token ${String(request.headers['x-token'])}</h1>`),
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  const { key } = await service.newKey();
  client = new Tintype({
    baseUrl: service.origin,
    apiKey: key,
    clock: createFakeClock(),
    onRetry: () => {
      retries += 1;
    },
  });
});
after(async () => {
  await service.stop();
  await site.close();
});

test('a picture as bytes, with what its headers say of the page', async () => {
  const { bytes, contentType, pageStatus, warnings, id } = await client.render({
    url: site.base,
    format: 'webp',
    viewport: { width: 400, height: 320, pixelRatio: 2 },
  });
  const { format, width, height } = await sharp(bytes).metadata();
  assert.deepEqual([format, width, height, contentType], ['webp', 800, 640, 'image/webp']);
  assert.deepEqual([pageStatus, warnings], [200, 0]);
  assert.match(id, /^\w{20}$/);
});

test('names of headers and of facts are sent and returned as they are', async () => {
  const render = await client.render({
    url: site.base,
    headers: { 'X-Token': 'abc' },
    outputs: [{ format: 'metadata' }, { format: 'text' }],
    response: 'json',
  });
  const [metadata, text] = render.outputs;
  assert.equal(text?.text?.trim(), 'Token abc');
  assert.equal((metadata?.data as { canonical_url?: unknown } | undefined)?.canonical_url, null);
  assert.equal(render.page.finalUrl, new URL(site.base).href);
  const { bytes, contentType } = await client.download(text?.url ?? '');
  assert.equal(new TextDecoder().decode(bytes).trim(), 'Token abc');
  assert.match(contentType, /^text\/plain/);
});

test('a document with its files; the render is read, listed and deleted', async () => {
  const render = await client.render(
    { html: '<img src="img/logo.png">', reference: 'invoice 7', response: 'json' },
    { files: [{ filename: 'img/logo.png', data: await png() }] },
  );
  assert.deepEqual(render.warnings, []);
  assert.equal((await client.getRender(render.id)).reference, 'invoice 7');
  const { items } = await client.getRenders({ reference: 'invoice 7', limit: 1 });
  assert.deepEqual(
    items.map(({ id }) => id),
    [render.id],
  );
  await client.deleteRender(render.id);
  await assert.rejects(client.getRender(render.id), { code: 'not_found' });
});

test('an error has its field and reason, and is tried again only if the service says so', async () => {
  await assert.rejects(client.render({ url: site.base, quality: 5 }), (error: unknown) => {
    assert.ok(error instanceof RequestError);
    assert.equal(error.field, 'quality');
    return true;
  });
  retries = 0;
  await assert.rejects(client.render({ url: site.base, selector: '#none' }), (error: unknown) => {
    assert.ok(error instanceof RenderError && error instanceof TintypeError);
    assert.deepEqual([error.reason, error.field, error.isRetryable], ['selector_missing', 'selector', false]);
    return true;
  });
  assert.equal(retries, 0);
});

test('a render is queued and waited for; another is canceled', async () => {
  const queued = await client.render({ url: site.base, outputs: [{ format: 'text' }], async: true });
  assert.equal(queued.finishedAt, null);
  const ended = await client.waitForRender(queued.id);
  assert.deepEqual(
    [ended.id, ended.state, ended.outputs[0]?.text?.trim()],
    [queued.id, 'succeeded', 'Token undefined'],
  );
  assert.equal((await client.getRender(queued.id, { waitSeconds: 5 })).state, 'succeeded');
  const { id } = await client.render({ html: '<p>', delayMs: 10_000, async: true });
  await client.deleteRender(id);
  assert.equal((await client.waitForRender(id)).state, 'canceled');
});
