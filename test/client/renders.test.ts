// The library's renders against a real service, and answers that are lost on the way.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { Tintype, TintypeError } from '#client/index.ts';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createFakeClock } from './support.ts';

let service: TestService;
let site: PageServer;
let client: Tintype;

before(async () => {
  site = await startPageServer({
    '/': '<!doctype html><body style="background:#fc0;margin:0;height:1500px">Hello',
    '/nothing': (_request, response) => response.writeHead(204).end(),
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  const { key } = await service.newKey();
  client = new Tintype({ baseUrl: service.origin, apiKey: key, clock: createFakeClock() });
});
after(async () => {
  await service.stop();
  await site.close();
});

test('4.3 a screenshot as bytes', async () => {
  const { bytes, contentType, id, durationMs, meta } = await client.screenshot(site.base, {
    fullPage: true,
    format: 'jpeg',
    width: 400,
    height: 320,
  });
  const { format, width, height } = await sharp(bytes).metadata();
  assert.deepEqual([format, width, height, contentType], ['jpeg', 400, 1500, 'image/jpeg']);
  assert.match(id, /^\w{20}$/);
  assert.ok((durationMs ?? 0) > 0);
  assert.equal(meta.quota?.limit, 100_000);
  assert.equal(meta.isReplay, false);
});

test('4.3 a screenshot as JSON', async () => {
  const { meta, ...metadata } = await client.screenshot(new URL(site.base), { response: 'json', width: 400 });
  const { id, url, durationMs, sizeBytes, ...rest } = metadata;
  assert.equal(url, `http://tintype.test/s/${id}`);
  assert.deepEqual(rest, { format: 'png', width: 400, height: 900, fullPage: false });
  const hosted = await fetch(`${service.origin}/s/${id}`);
  assert.equal((await hosted.arrayBuffer()).byteLength, sizeBytes);
  assert.ok((durationMs ?? 0) > 0);
  assert.equal(meta.rateLimit?.limit, 3000);
});

test('a hosted file is downloaded by its link, from the address that the client was given', async () => {
  const { url, sizeBytes } = await client.screenshot(site.base, { response: 'json' });
  const { bytes, contentType } = await client.download(url);
  assert.deepEqual([bytes.length, contentType], [sizeBytes, 'image/png']);
  const image = await png();
  const upload = await client.upload(image);
  assert.deepEqual(Buffer.from((await client.download(upload.fileUrl)).bytes), image);
  await client.delete(upload);
  await assert.rejects(client.download(upload.fileUrl), { code: 'not_found', attempts: 1 });
  await assert.rejects(client.download('https://example.com/'), TypeError);
});

test('4.4 a PDF as bytes and as JSON', async () => {
  const { bytes, contentType } = await client.pdf(site.base, { waitUntil: 'load' });
  assert.equal(contentType, 'application/pdf');
  assert.equal(Buffer.from(bytes.subarray(0, 5)).toString(), '%PDF-');
  const { paperFormat, margin, viewport, printBackground, url } = await client.pdf(site.base, {
    response: 'json',
    paperFormat: 'a4',
    margin: { top: '1cm' },
    viewport: { width: 800 },
    printBackground: false,
    waitUntil: 'load',
  });
  assert.deepEqual(
    [paperFormat, margin.top, viewport, printBackground],
    ['a4', '1cm', { width: 800, height: 900 }, false],
  );
  assert.match(url, /^http:\/\/tintype\.test\/p\//);
});

test('7 a page that cannot be captured is tried three times in all', async () => {
  const error = await client.screenshot(`${site.base}/nothing`).catch((reason: unknown) => reason);
  assert.ok(error instanceof TintypeError);
  assert.deepEqual([error.code, error.attempts], ['capture_failed', 3]);
});

test('7 an upload and a render whose answers are lost are stored and metered once', async () => {
  const { key, accountId } = await service.newKey();
  const losing = await startLosingProxy(service.origin);
  try {
    const unlucky = new Tintype({ baseUrl: losing.origin, apiKey: key, clock: createFakeClock() });
    const image = await png(31, 17);

    const { meta, slug } = await unlucky.upload(image);
    assert.deepEqual([meta.attempts, meta.isReplay, losing.answered()], [2, true, 2]);
    assert.equal((await fetch(`${service.origin}/f/${slug}`)).status, 200);

    const batch = await unlucky.uploadBatch([image, image, image]);
    assert.deepEqual([batch.summary.succeeded, batch.meta?.isReplay], [3, true]);

    const picture = await unlucky.screenshot(site.base, { width: 400, height: 320 });
    assert.deepEqual([picture.meta.attempts, picture.meta.isReplay], [2, true]);
    assert.equal((await sharp(picture.bytes).metadata()).width, 400);

    assert.deepEqual([await used(accountId, 'upload'), await used(accountId, 'render')], [4, 1]);
  } finally {
    await losing.stop();
  }
});

async function used(accountId: string, unit: 'upload' | 'render'): Promise<number> {
  const month = new Date().toISOString().slice(0, 7);
  return (await service.database.tables.usage.read({ accountId, unit, month })).used;
}

/** Passes requests on, and breaks the connection in the middle of the first answer under each Idempotency-Key. */
async function startLosingProxy(target: string) {
  const seen = new Set<string>();
  let answered = 0;
  const server: Server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {
      host: _host,
      connection: _connection,
      'content-length': _length,
      'transfer-encoding': _coding,
      ...headers
    } = request.headers;
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const answer = await fetch(target + request.url, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    answered += 1;
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      'content-length': bytes.length,
    });
    const key = String(headers['idempotency-key']);
    if (seen.has(key)) {
      response.end(bytes);
    } else {
      seen.add(key);
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    }
  }

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
