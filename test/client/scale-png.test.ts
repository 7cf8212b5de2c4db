// Pictures for a model: the scaled PNG against sharp's own decoder, for every row filter and both kinds of pixel.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { scalePng } from '#mcp/scale-png.ts';

for (const channels of [3, 4] as const) {
  for (const adaptiveFiltering of [false, true]) {
    test(`${channels} channels, ${adaptiveFiltering ? 'all filters' : 'no filter'}: each pixel is a mean`, async () => {
      const [width, height] = [50, 3136];
      // Halved exactly: every new pixel is the mean of two by two.
      const raw = Buffer.alloc(width * height * channels);
      for (let index = 0; index < raw.length; index += 1)
        raw[index] = (index * index * 7 + (index >> 5)) % 256;
      const png = await sharp(raw, { raw: { width, height, channels } })
        .png({ adaptiveFiltering, compressionLevel: 6 })
        .toBuffer();
      const scaled = await scalePng(png);
      assert.deepEqual([scaled?.width, scaled?.height], [25, 1568]);
      const pixels = await sharp(scaled?.png).raw().toBuffer();
      const at = (x: number, y: number, channel: number): number =>
        raw[(y * width + x) * channels + channel] ?? 0;
      for (let y = 0; y < 1568; y += 1) {
        for (let x = 0; x < 25; x += 1) {
          for (let channel = 0; channel < channels; channel += 1) {
            const [left, top] = [x * 2, y * 2];
            const sum =
              at(left, top, channel) +
              at(left + 1, top, channel) +
              at(left, top + 1, channel) +
              at(left + 1, top + 1, channel);
            assert.equal(pixels[(y * 25 + x) * channels + channel], Math.round(sum / 4));
          }
        }
      }
    });
  }
}

test('a small picture stays as it is, and noise is halved until it fits into an answer', async () => {
  const small = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  assert.equal((await scalePng(small))?.png, small);
  const [width, height] = [1500, 1500];
  const noise = await sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  const scaled = await scalePng(noise);
  assert.ok(scaled && scaled.png.length <= 3_500_000);
  assert.deepEqual([scaled.width, scaled.height], [784, 784]);
});

test('what is no PNG of this kind is left to the caller', async () => {
  const palette = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png({ palette: true })
    .toBuffer();
  for (const bytes of [Buffer.from('picture'), Buffer.alloc(0), palette])
    assert.equal(await scalePng(bytes), undefined);
});
