// Files in memory are compressed for clients that accept it, and each encoding has its own ETag.
import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(service.origin + path, { method, headers }, resolve)
    .on('error', reject)
    .end();
  const answer = await promise;
  return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
}

for (const path of ['/openapi.json', '/docs', '/docs/quickstart']) {
  test(`${path} is compressed, and decompresses to the same bytes`, async () => {
    const plain = await get(path);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.vary, 'accept-encoding');
    const tags = new Set([plain.headers.etag]);
    for (const [accepted, encoding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['GZIP', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const packed = await get(path, { 'accept-encoding': accepted });
      assert.equal(packed.headers['content-encoding'], encoding);
      assert.ok(packed.bytes.length < plain.bytes.length / 2, `${packed.bytes.length} bytes`);
      assert.ok(unpack(packed.bytes).equals(plain.bytes));
      assert.equal(packed.headers['content-type'], plain.headers['content-type']);
      assert.equal(packed.headers.vary, 'accept-encoding');
      tags.add(packed.headers.etag);

      const head = await get(path, { 'accept-encoding': accepted }, 'HEAD');
      assert.deepEqual(
        [head.status, head.bytes.length, head.headers['content-length'], head.headers.etag],
        [200, 0, String(packed.bytes.length), packed.headers.etag],
      );
      const again = { 'accept-encoding': accepted, 'if-none-match': `"x", W/${packed.headers.etag}` };
      const unchanged = await get(path, again);
      assert.deepEqual([unchanged.status, unchanged.bytes.length], [304, 0]);
      assert.equal(unchanged.headers.etag, packed.headers.etag);
    }
    assert.equal(tags.size, 3);
    const other = await get(path, { 'if-none-match': '"x"', range: 'bytes=0-5' });
    assert.deepEqual([other.status, other.bytes.length], [200, plain.bytes.length]);
  });
}

test('names that programs ask for by themselves: robots.txt leaves previews alone, favicon.ico is the icon, /docs/ leads to /docs', async () => {
  const robots = await get('/robots.txt');
  assert.equal(robots.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(robots.bytes.toString(), 'User-agent: *\nDisallow: /api/\nDisallow: /dashboard\n');
  const icon = await get('/favicon.ico');
  assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml']);
  assert.match(icon.bytes.toString(), /<svg/);
  const docs = await get('/docs/');
  assert.deepEqual([docs.status, docs.headers.location], [308, '/docs']);
});
