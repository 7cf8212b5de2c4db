// Every format at every size, as far as capture.test.ts leaves it out, and a picture with too many bytes. Spec 4.3.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { PictureFormat } from '#browser/job.ts';
import { startTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { captureRoutes, testHeight, testViewport, type Height } from '#test/browser/capture-kit.ts';

let server: PageServer;
let kit: TestBrowser;
before(async () => {
  server = await startPageServer(captureRoutes);
  kit = await startTestBrowser([server.host]);
});
after(async () => {
  await kit.close();
  await server.close();
});

const viewports: [PictureFormat, number, number][] = [
  ['png', 320, 320],
  ['png', 3840, 2160],
  ['jpeg', 1440, 900],
  ['jpeg', 3840, 2160],
  ['webp', 1440, 900],
  ['webp', 320, 320],
];
for (const [format, width, height] of viewports) {
  testViewport(format, width, height, () => ({ kit, server }));
}

const heights: Height[] = [
  { format: 'webp', bands: 32 },
  { format: 'png', bands: 100 },
  { format: 'jpeg', bands: 100 },
];
for (const height of heights) testHeight(height, () => ({ kit, server }));

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
