// GET /f/<slug> of an SVG: compressed for clients that accept it, with the ETag, Vary and ranges of RFC 9110.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createPackedSvgs } from '#site/hosted/packed-svgs.ts';
import * as images from '#test/support/images.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne, type Uploaded } from '#test/support/uploading.ts';

const drawing = (shapes: number): Buffer =>
  images.svg('<rect width="10" height="10" fill="#123456"/>'.repeat(shapes));

let service: TestService;
let key: string;
let file: Uploaded;
let stored: Buffer;

before(async () => {
  service = await startService();
  ({ key } = await service.newKey());
  file = await uploadOne(service.origin, key, { bytes: drawing(500), filename: 'drawing.svg' });
  stored = (await get()).body;
});
after(() => service.stop());

/** Node's fetch would ask for compression and undo it. */
async function get(headers: Record<string, string> = {}, { method = 'GET', url = file.fileAt } = {}) {
  const { pathname } = new URL(url);
  const { body, ...answer } = await rawRequest(service.origin, method, pathname, headers);
  return { ...answer, body: Buffer.from(body, 'latin1') };
}

test('plain without Accept-Encoding, and Vary says that it depends on it', async () => {
  const { status, headers, body } = await get();
  assert.equal(status, 200);
  assert.deepEqual(
    [headers['content-encoding'], headers['vary'], Number(headers['content-length'])],
    [undefined, 'accept-encoding', body.length],
  );
  assert.equal(body.length, file.size_bytes);
});

for (const [accepted, encoding, unpack] of [
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
] as const) {
  test(`Accept-Encoding: ${accepted} gets ${encoding}, and HEAD the same headers`, async () => {
    const { headers, body } = await get({ 'accept-encoding': accepted });
    assert.equal(headers['content-encoding'], encoding);
    assert.equal(Number(headers['content-length']), body.length);
    assert.ok(body.length < stored.length / 4, `${body.length} of ${stored.length} bytes`);
    assert.deepEqual(unpack(body), stored);
    assert.match(String(headers['content-security-policy']), /img-src data:; font-src data:; sandbox$/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const head = await get({ 'accept-encoding': accepted }, { method: 'HEAD' });
    assert.equal(head.body.length, 0);
    for (const name of [
      'content-length',
      'content-encoding',
      'etag',
      'vary',
      'content-type',
      'accept-ranges',
    ])
      assert.equal(head.headers[name], headers[name], name);
  });
}

test('each form has an ETag of its own, and If-None-Match takes the one that the client has', async () => {
  const tags = [];
  for (const accepted of ['', 'br', 'gzip']) {
    const { headers } = await get({ 'accept-encoding': accepted });
    const etag = String(headers['etag']);
    tags.push(etag);
    const again = await get({ 'accept-encoding': accepted, 'if-none-match': etag });
    assert.deepEqual(
      [again.status, again.headers['etag'], again.headers['vary']],
      [304, etag, 'accept-encoding'],
    );
  }
  assert.equal(new Set(tags).size, 3);
  const [plain = '', br = ''] = tags;
  // Its own copy may be plain: it was fetched while others were being compressed.
  assert.equal((await get({ 'accept-encoding': 'br', 'if-none-match': plain })).status, 304);
  assert.equal((await get({ 'if-none-match': br })).status, 200);
});

test('a range is a part of the stored bytes, and If-Range of a compressed form gets all of them', async () => {
  const packed = await get({ 'accept-encoding': 'br' });
  const part = await get({ 'accept-encoding': 'br', range: 'bytes=5-14' });
  assert.deepEqual(
    [part.status, part.headers['content-encoding'], part.headers['content-range'], part.headers['vary']],
    [206, undefined, `bytes 5-14/${stored.length}`, 'accept-encoding'],
  );
  assert.deepEqual(part.body, stored.subarray(5, 15));
  const whole = await get({
    'accept-encoding': 'br',
    range: 'bytes=5-14',
    'if-range': String(packed.headers['etag']),
  });
  assert.deepEqual([whole.status, whole.headers['content-encoding']], [200, undefined]);
  assert.deepEqual(whole.body, stored);
});

test('a small SVG, one over 1 MB and a PNG are sent as they are stored', async () => {
  const others = {
    'small.svg': drawing(1),
    'large.svg': drawing(30_000),
    'picture.png': await images.png(),
  };
  for (const [filename, bytes] of Object.entries(others)) {
    const { fileAt, size_bytes } = await uploadOne(service.origin, key, { bytes, filename });
    const { headers, body } = await get({ 'accept-encoding': 'br' }, { url: fileAt });
    assert.deepEqual([headers['content-encoding'], body.length], [undefined, size_bytes], filename);
  }
});

test('a deleted SVG is gone in its compressed form too', async () => {
  const doomed = await uploadOne(service.origin, key, { bytes: drawing(300), filename: 'doomed.svg' });
  const headers = { 'accept-encoding': 'br' };
  assert.equal((await get(headers, { url: doomed.fileAt })).status, 200);
  await fetch(doomed.deleteAt, { method: 'POST' });
  assert.equal((await get(headers, { url: doomed.fileAt })).status, 404);
});

test('two are compressed at once, each once; others are sent as they are and wait for nobody', async () => {
  const packedSvgs = createPackedSvgs();
  const gate = Promise.withResolvers<void>();
  let reads = 0;
  const ask = (hash: string) =>
    packedSvgs.get({ hash, sizeBytes: 2000 }, 'br', async () => {
      reads += 1;
      await gate.promise;
      return drawing(50);
    });
  const first = [ask('a'), ask('b'), ask('a')];
  assert.equal(await ask('c'), undefined);
  gate.resolve();
  const [a, b, again] = await Promise.all(first);
  assert.ok(a && b && again === a);
  assert.equal(await ask('a'), a);
  assert.equal(reads, 2);
  assert.ok(await ask('c'));
});
