// A compressed body is refused at every endpoint, and the message names the header.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let key: string;
before(async () => {
  service = await startService();
  ({ key } = await service.newKey());
});
after(() => service.stop());

for (const [path, contentType] of [
  ['/api/v1/upload', 'multipart/form-data; boundary=xyz'],
  ['/api/v1/upload/batch', 'multipart/form-data; boundary=xyz'],
  ['/api/v1/screenshot', 'application/json'],
  ['/api/v1/pdf', 'application/json'],
] as const) {
  test(path, async () => {
    for (const encoding of ['gzip', 'br', 'identity, gzip', 'x'.repeat(5000)]) {
      const { status, body } = await post(service.origin + path, {
        body: gzipSync('{"url": "http://example.com"}'),
        headers: { ...bearer(key), 'content-type': contentType, 'content-encoding': encoding },
      });
      assert.deepEqual([status, body.error.code], [422, 'validation_error']);
      assert.equal(
        body.error.message,
        `Content-Encoding: "${encoding.slice(0, 60)}" is not supported; send the body without compression`,
      );
    }
  });
}

test('identity is accepted', async () => {
  const { status } = await post(`${service.origin}/api/v1/upload`, {
    body: formOf([[await images.png(), 'a.png']]),
    headers: { ...bearer(key), 'content-encoding': 'Identity' },
  });
  assert.equal(status, 201);
});
