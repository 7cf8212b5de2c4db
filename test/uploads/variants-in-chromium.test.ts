// Variants look like their originals do in a browser: in colours that a PNG says in numbers, and turned only where the original is. v2 3.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { readDimensions } from '#uploads/dimensions.ts';
import { cleanPicture } from '#uploads/metadata/remove-metadata.ts';
import { startPictureProcess, type PictureProcess } from '#uploads/pictures/picture-process.ts';
import { launchTestChromium } from '#test/support/chromium.ts';

let page: Page;
let close = async (): Promise<void> => {};
let decoder: PictureProcess;
before(async () => {
  const chromium = await launchTestChromium();
  close = chromium.close;
  page = await chromium.browser.newPage();
  decoder = startPictureProcess();
});
after(async () => {
  decoder.kill();
  await close();
});

interface Seen {
  width: number;
  height: number;
  /** Of its middle. */
  colour: number[];
}

async function inBrowser(type: string, bytes: Buffer): Promise<Seen> {
  return page.evaluate(
    async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const { naturalWidth: width, naturalHeight: height } = image;
      const context = new OffscreenCanvas(width, height).getContext('2d')!;
      context.drawImage(image, 0, 0);
      return { width, height, colour: [...context.getImageData(width / 2, height / 2, 1, 1).data] };
    },
    `data:${type};base64,${bytes.toString('base64')}`,
  );
}

async function asVariant(bytes: Buffer): Promise<Seen> {
  const answer = await decoder.make(
    { width: undefined, format: 'png' },
    Readable.from([bytes]),
    bytes.length,
  );
  assert.ok(answer.kind === 'made', JSON.stringify(answer));
  const { data, info } = await sharp(answer.bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const at = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
  return { width, height, colour: [...data.subarray(at, at + 4)] };
}

function assertAlike(variant: Seen, original: Seen, name: string): void {
  assert.deepEqual([variant.width, variant.height], [original.width, original.height], name);
  const furthest = Math.max(
    ...variant.colour.map((value, place) => Math.abs(value - original.colour[place]!)),
  );
  assert.ok(furthest <= 1, `${name}: ${variant.colour.join()} instead of ${original.colour.join()}`);
}

const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, place) => bytes.writeUInt32BE(value, 4 * place));
  return bytes;
};

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

/** Of one colour, whose values are repeated in those of 16 bits. */
function pngOf(kind: 'grey' | 'rgb' | 'rgba' | 'palette', bits: 8 | 16, ...chunks: Buffer[]): Buffer {
  const side = 4;
  const colour = [100, 150, 200];
  const values = { grey: [100], rgb: colour, rgba: [...colour, 255], palette: [0] }[kind];
  const pixel = bits === 16 ? values.flatMap((value) => [value, value]) : values;
  const row = Buffer.from([0, ...Array.from({ length: side }, () => pixel).flat()]);
  const type = { grey: 0, rgb: 2, palette: 3, rgba: 6 }[kind];
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([uint32(side, side), Buffer.of(bits, type, 0, 0, 0)])),
    ...chunks,
    ...(kind === 'palette' ? [chunk('PLTE', Buffer.from(colour))] : []),
    chunk('IDAT', deflateSync(Buffer.alloc(side * row.length, row))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('a PNG that says its colours in numbers', () => {
  const gamma = (value: number): Buffer => chunk('gAMA', uint32(value));
  const srgb = chunk('cHRM', uint32(31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000));
  const wide = chunk('cHRM', uint32(31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000));
  const warm = chunk('cHRM', uint32(34_567, 35_850, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000));
  const none = chunk('cHRM', Buffer.alloc(32));
  const broken = Buffer.concat([gamma(100_000).subarray(0, 12), Buffer.alloc(4)]);
  const rows: [name: string, bytes: Buffer, isAsStored: boolean][] = [
    ['nothing', pngOf('rgb', 8), true],
    ['the gamma of sRGB', pngOf('rgb', 8, gamma(45_455)), true],
    ['nearly that', pngOf('rgb', 8, gamma(47_000)), true],
    ['a gamma of 1.8', pngOf('rgb', 8, gamma(55_556)), false],
    ['no gamma at all', pngOf('rgb', 8, gamma(100_000)), false],
    ['an extreme one', pngOf('rgb', 8, gamma(1_000_000)), false],
    ['another extreme one', pngOf('rgb', 8, gamma(1_000)), false],
    ['zero', pngOf('rgb', 8, gamma(0)), true],
    ['two, of which the first counts', pngOf('rgb', 8, gamma(55_556), gamma(100_000)), false],
    ['one with a wrong checksum', pngOf('rgb', 8, broken), true],
    ['in grey', pngOf('grey', 8, gamma(55_556)), false],
    ['with a palette', pngOf('palette', 8, gamma(55_556)), false],
    ['with alpha', pngOf('rgba', 8, gamma(55_556)), false],
    ['of 16 bits', pngOf('rgb', 16, gamma(55_556)), false],
    ['of 16 bits and grey', pngOf('grey', 16, gamma(100_000)), false],
    ['of 16 bits with alpha', pngOf('rgba', 16, gamma(100_000)), false],
    ['primaries alone', pngOf('rgb', 8, wide), true],
    ['the primaries of sRGB', pngOf('rgb', 8, gamma(55_556), srgb), false],
    ['wider primaries', pngOf('rgb', 8, gamma(45_455), wide), false],
    ['wider primaries, of 16 bits', pngOf('rgb', 16, gamma(55_556), wide), false],
    ['another white', pngOf('rgb', 8, gamma(45_455), warm), false],
    ['another white, in grey', pngOf('grey', 8, gamma(55_556), warm), false],
    ['primaries that are none', pngOf('rgb', 8, gamma(55_556), none), true],
    ['sRGB, which wins', pngOf('rgb', 8, chunk('sRGB', Buffer.of(0)), gamma(100_000)), true],
    ['cICP, which wins', pngOf('rgb', 8, chunk('cICP', Buffer.of(1, 13, 0, 1)), gamma(100_000)), true],
  ];
  for (const [name, bytes, isAsStored] of rows) {
    test(name, async () => {
      const shown = await inBrowser('image/png', bytes);
      const isUnchanged = shown.colour[0] === 100;
      assert.equal(isUnchanged, isAsStored, `${name}: shown as ${shown.colour.join()}`);
      assertAlike(await asVariant(bytes), shown, name);
    });
  }

  test('a profile, which wins', async () => {
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#6496c8' } });
    const plain = await picture.withIccProfile('p3').png().toBuffer();
    const bytes = Buffer.concat([plain.subarray(0, 33), gamma(100_000), plain.subarray(33)]);
    assertAlike(await asVariant(bytes), await inBrowser('image/png', bytes), 'with a profile');
  });
});

describe('the orientation in EXIF', () => {
  const turned = sharp({
    create: { width: 40, height: 20, channels: 3, background: '#6496c8' },
  }).withMetadata({
    orientation: 6,
  });
  const rows = [
    ['image/png', () => turned.clone().png(), false],
    ['image/jpeg', () => turned.clone().jpeg({ quality: 100 }), false],
    ['image/webp', () => turned.clone().webp({ lossless: true }), true],
  ] as const;
  for (const [type, make, isAsStored] of rows) {
    test(`of ${type}: file, size and variant agree, with metadata and without`, async () => {
      const bytes = await make().toBuffer();
      assert.equal((await sharp(bytes).metadata()).orientation, 6);
      const { pieces } = cleanPicture(type, bytes);
      for (const given of [bytes, Buffer.concat(pieces)]) {
        const shown = await inBrowser(type, given);
        const { width, height } = shown;
        assert.deepEqual([width, height], isAsStored ? [40, 20] : [20, 40]);
        assert.deepEqual(readDimensions(type, given), { width, height });
        assertAlike(await asVariant(given), shown, type);
      }
    });
  }
});
