// A picture with too many bytes. On a busy machine it takes longer to encode than a picture may. Spec 4.3.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';

let server: PageServer;
let kit: TestBrowser;
before(async () => {
  server = await startPageServer({});
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

test('4.3 a picture of more than 128 MiB fails with its reason, and the next one is made', async () => {
  // No format compresses noise.
  const noise = await sharp(randomBytes(1440 * 512 * 3), { raw: { width: 1440, height: 512, channels: 3 } })
    .png()
    .toBuffer();
  server.route('/noise.png', (_, response) => {
    response.setHeader('content-type', 'image/png').end(noise);
  });
  const url = server.route(
    '/noise',
    '<!doctype html><body style="margin:0;height:40000px;background:url(/noise.png)">',
  );
  await assert.rejects(kit.shoot(url, { fullPage: true }), {
    reason: 'too_large',
    message: 'the picture of the page is larger than 128 MiB; ask for a smaller part of it',
  });
  const { bytes } = await kit.shoot(url, { width: 1000 });
  const { width, height } = await sharp(bytes).metadata();
  assert.deepEqual([width, height], [1000, 900]);
});
