// The bytes of a picture are limited. Noise is used because no format compresses it. Spec 7 (capture_failed).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { startTestBrowser, type TestBrowser } from '#lab/support/browser.ts';
import { type PageServer, startPageServer } from '#lab/support/page-server.ts';

const MiB = 1024 ** 2;
const side = 512;
let site: PageServer;
let kit: TestBrowser;

before(async () => {
  const raw = { width: side, height: side, channels: 3 } as const;
  const noise = await sharp(randomBytes(side * side * 3), { raw })
    .png()
    .toBuffer();
  site = await startPageServer({
    '/noise.png': (_, response) => response.setHeader('content-type', 'image/png').end(noise),
    '/': '<!doctype html><body style="margin:0;height:1600px;background:url(/noise.png)">',
  });
  kit = await startTestBrowser([site.host]);
});
after(async () => {
  await kit.close();
  await site.close();
});

test('4.3 a picture that is larger than the bound fails with its reason, and the next one is made', async () => {
  const shoot = (mostBytes: number, format: 'png' | 'webp') =>
    kit.shoot(`${site.base}/`, { fullPage: true, width: 1000, format, mostBytes });
  for (const format of ['png', 'webp'] as const) {
    await assert.rejects(shoot(MiB, format), {
      reason: 'too_large',
      message: 'the picture of the page is larger than 1 MiB; ask for a smaller part of it',
    });
  }
  const { bytes } = await shoot(16 * MiB, 'png');
  const { width, height } = await sharp(bytes).metadata();
  assert.deepEqual([width, height], [1000, 1600]);
  assert.ok(bytes.length > MiB, `${bytes.length}`);
});
