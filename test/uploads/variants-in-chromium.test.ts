// Variants look like their originals do in a browser: in colours that a PNG says in numbers, and turned only where the original is. v2 3.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import { readDimensions } from '#uploads/dimensions.ts';
import { cleanPicture } from '#uploads/metadata/remove-metadata.ts';
import { startTestBrowser, type OwnTestBrowser } from '#test/support/browser.ts';
import { launchTestChromium } from '#test/support/chromium.ts';
import { makePicture } from '#test/uploads/picture-kit.ts';

let page: Page;
let close = async (): Promise<void> => {};
let decoder: OwnTestBrowser;
before(async () => {
  const chromium = await launchTestChromium();
  close = chromium.close;
  page = await chromium.browser.newPage();
  decoder = await startTestBrowser([]);
});
after(async () => {
  await decoder.close();
  await close();
});

interface Seen {
  width: number;
  height: number;
  /** Of its middle. */
  colour: number[];
}

interface Shown extends Seen {
  /** Of the middles of three of its quarters. */
  corners: number[][];
}

async function inBrowser(type: string, bytes: Buffer): Promise<Shown> {
  return page.evaluate(
    async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const { naturalWidth: width, naturalHeight: height } = image;
      const context = new OffscreenCanvas(width, height).getContext('2d')!;
      context.drawImage(image, 0, 0);
      const at = (x: number, y: number): number[] => [
        ...context.getImageData(Math.floor(width * x), Math.floor(height * y), 1, 1).data,
      ];
      return {
        width,
        height,
        colour: at(1 / 2, 1 / 2),
        corners: [at(1 / 4, 1 / 4), at(3 / 4, 1 / 4), at(1 / 4, 3 / 4)],
      };
    },
    `data:${type};base64,${bytes.toString('base64')}`,
  );
}

async function asVariant(contentType: string, bytes: Buffer): Promise<Seen> {
  const made = await makePicture(decoder, bytes, { contentType });
  const { data, info } = await sharp(made).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
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
      assertAlike(await asVariant('image/png', bytes), shown, name);
    });
  }

  test('a profile, which wins', async () => {
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#6496c8' } });
    const plain = await picture.withIccProfile('p3').png().toBuffer();
    const bytes = Buffer.concat([plain.subarray(0, 33), gamma(100_000), plain.subarray(33)]);
    assertAlike(await asVariant('image/png', bytes), await inBrowser('image/png', bytes), 'with a profile');
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
        assertAlike(await asVariant(type, given), shown, type);
      }
    });
  }
});

/** The colours of three quarters of the picture, in a browser and in a variant of half its width. */
async function cornersOf(type: string, bytes: Buffer): Promise<[shown: number[][], made: number[][]]> {
  const shown = await inBrowser(type, bytes);
  const { width, height, corners } = shown;
  const variant = await makePicture(decoder, bytes, {
    contentType: type,
    size: { width, height },
    width: Math.round(width / 2),
  });
  const { data, info } = await sharp(variant).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  assert.equal(info.width, Math.round(width / 2));
  assert.ok(Math.abs(info.height - height / 2) <= 1);
  const at = (x: number, y: number): number[] => {
    const from = 4 * (Math.floor(info.height * y) * info.width + Math.floor(info.width * x));
    return [...data.subarray(from, from + 4)];
  };
  return [corners, [at(1 / 4, 1 / 4), at(3 / 4, 1 / 4), at(1 / 4, 3 / 4)]];
}

function assertNear(made: number[][], shown: number[][], name: string): void {
  const furthest = Math.max(...made.flat().map((value, place) => Math.abs(value - shown.flat()[place]!)));
  assert.ok(furthest <= 3, `${name}: ${made.join(' ')} instead of ${shown.join(' ')}`);
}

const quarters = (width: number, height: number) => {
  const quarter = (background: string, left: number, top: number) => ({
    input: { create: { width: width / 2, height: height / 2, channels: 3 as const, background } },
    left,
    top,
  });
  return sharp({ create: { width, height, channels: 3, background: '#c83214' } }).composite([
    quarter('#14c832', width / 2, 0),
    quarter('#3214c8', 0, height / 2),
  ]);
};

describe('a smaller variant is turned as its original is', () => {
  const encoders = {
    'image/jpeg': (picture: Sharp) => picture.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }),
    'image/png': (picture: Sharp) => picture.png(),
    'image/webp': (picture: Sharp) => picture.webp({ lossless: true }),
    'image/avif': (picture: Sharp) => picture.avif({ quality: 90, effort: 0, chromaSubsampling: '4:4:4' }),
  };
  for (const [type, encode] of Object.entries(encoders)) {
    for (const [width, height] of [
      [400, 400],
      [636, 404],
    ] as const) {
      test(`${type}, ${width} × ${height}`, async () => {
        for (let orientation = 1; orientation <= 8; orientation += 1) {
          const bytes = await encode(quarters(width, height).withMetadata({ orientation })).toBuffer();
          const [shown, made] = await cornersOf(type, bytes);
          assertNear(made, shown, `orientation ${orientation}`);
        }
      });
    }
  }
});

describe('a smaller variant has the colours that the browser shows', () => {
  const flat = () => quarters(320, 200);
  const clear = () => quarters(320, 200).ensureAlpha(0.5);
  const rows: [name: string, type: string, make: () => Promise<Buffer>][] = [
    [
      'a JPEG in Display P3',
      'image/jpeg',
      () => flat().withIccProfile('p3').jpeg({ quality: 95 }).toBuffer(),
    ],
    [
      'a WebP in Display P3',
      'image/webp',
      () => flat().withIccProfile('p3').webp({ lossless: true }).toBuffer(),
    ],
    ['a JPEG in CMYK', 'image/jpeg', () => flat().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer()],
    [
      'a JPEG in CMYK with a profile',
      'image/jpeg',
      () => flat().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 }).toBuffer(),
    ],
    ['a JPEG in grey', 'image/jpeg', () => flat().greyscale().jpeg({ quality: 95 }).toBuffer()],
    ['a progressive JPEG', 'image/jpeg', () => flat().jpeg({ quality: 95, progressive: true }).toBuffer()],
    ['a PNG with a palette', 'image/png', () => flat().png({ palette: true }).toBuffer()],
    ['a transparent PNG', 'image/png', () => clear().png().toBuffer()],
    ['an interlaced PNG', 'image/png', () => flat().png({ progressive: true }).toBuffer()],
    ['a PNG of 16 bits', 'image/png', () => flat().toColourspace('rgb16').png().toBuffer()],
    ['a transparent WebP', 'image/webp', () => clear().webp({ lossless: true }).toBuffer()],
    ['a transparent AVIF', 'image/avif', () => clear().avif({ quality: 90, effort: 0 }).toBuffer()],
    ['a GIF', 'image/gif', () => flat().gif().toBuffer()],
  ];
  for (const [name, type, make] of rows)
    test(name, async () => {
      const [shown, made] = await cornersOf(type, await make());
      assertNear(made, shown, name);
    });

  test('a JPEG of a transparent picture is on white', async () => {
    const bytes = await sharp({ create: { width: 90, height: 90, channels: 4, background: '#0000' } })
      .png()
      .toBuffer();
    const made = await makePicture(decoder, bytes, { width: 64, format: 'jpeg' });
    assert.deepEqual([...(await sharp(made).raw().toBuffer()).subarray(0, 3)], [255, 255, 255]);
  });
});

describe('drawings', () => {
  const svg = (attributes: string): Buffer =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect width="50%" height="50%" fill="#14c832"/></svg>`,
    );
  const rows: [name: string, attributes: string, width: number, height: number][] = [
    ['with a size', 'width="40" height="30"', 1280, 960],
    ['with a view box alone', 'viewBox="0 0 100 200"', 640, 1280],
    ['with neither', '', 1280, 640],
  ];
  for (const [name, attributes, width, height] of rows)
    test(name, async () => {
      const made = await makePicture(decoder, svg(attributes), {
        contentType: 'image/svg+xml',
        isDrawing: true,
        width: 1280,
        size: readDimensions('image/svg+xml', svg(attributes)) ?? null,
      });
      const { data, info } = await sharp(made).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      assert.deepEqual([info.width, info.height], [width, height]);
      assert.deepEqual([...data.subarray(0, 3)], [0x14, 0xc8, 0x32]);
      assert.deepEqual([...data.subarray(-3)], [255, 255, 255], 'on white');
    });
});
