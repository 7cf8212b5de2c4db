// The size of an image, read from its header; pictures are made by a real encoder where there is one.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { readDimensions } from '#uploads/dimensions.ts';
import type { Dimensions, ImageType } from '#uploads/image-types.ts';

const wide = { width: 37, height: 21 };
const picture = (channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { ...wide, channels, background: { r: 200, g: 80, b: 10, alpha: 0.5 } } });

const encoded: [name: string, type: ImageType, make: () => Promise<Buffer>, expected: Dimensions][] = [
  ['PNG', 'image/png', () => picture().png().toBuffer(), wide],
  ['GIF', 'image/gif', () => picture().gif().toBuffer(), wide],
  ['JPEG', 'image/jpeg', () => picture().jpeg().toBuffer(), wide],
  ['progressive JPEG', 'image/jpeg', () => picture().jpeg({ progressive: true }).toBuffer(), wide],
  [
    'JPEG upside down',
    'image/jpeg',
    () => picture().withMetadata({ orientation: 3 }).jpeg().toBuffer(),
    wide,
  ],
  [
    'JPEG on its side',
    'image/jpeg',
    () => picture().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    { width: 21, height: 37 },
  ],
  ['lossy WebP', 'image/webp', () => picture().webp().toBuffer(), wide],
  ['lossless WebP', 'image/webp', () => picture().webp({ lossless: true }).toBuffer(), wide],
  ['WebP with alpha', 'image/webp', () => picture(4).webp().toBuffer(), wide],
  ['AVIF', 'image/avif', () => picture().avif().toBuffer(), wide],
  ['AVIF with alpha', 'image/avif', () => picture(4).avif().toBuffer(), wide],
];

const svgs: [attributes: string, expected: Dimensions | undefined][] = [
  ['width="40" height="30"', { width: 40, height: 30 }],
  ['width="40.6px" height="30.2PX"', { width: 41, height: 30 }],
  ['width="1in" height="2.54cm"', { width: 96, height: 96 }],
  ['width="25.4mm" height="72pt"', { width: 96, height: 96 }],
  ['width="6pc" height="101.6q"', { width: 96, height: 96 }],
  ['width="1e2" height=".5e1"', { width: 100, height: 5 }],
  ['viewBox="0 0 24 12"', { width: 24, height: 12 }],
  ['viewBox="-5,-5, 24.4 ,12"', { width: 24, height: 12 }],
  ['width="100%" height="100%" viewBox="0 0 24 12"', { width: 24, height: 12 }],
  ['width="48" viewBox="0 0 24 12"', { width: 48, height: 24 }],
  ['height="48" viewBox="0 0 24 12"', { width: 96, height: 48 }],
  ['width="10em" height="2em" viewBox="0 0 24 12"', { width: 24, height: 12 }],
  ['width="auto" height="-3"', undefined],
  ['width="100%" height="100%"', undefined],
  ['viewBox="0 0 0 12"', undefined],
  ['viewBox="0 0 1e999 12"', undefined],
  ['', undefined],
];

suite('dimensions', () => {
  for (const [name, type, make, expected] of encoded) {
    test(name, async () => {
      const bytes = await make();
      assert.deepEqual(readDimensions(type, bytes), expected);
    });
  }

  for (const [attributes, expected] of svgs) {
    test(`SVG ${attributes || 'without a size'}`, () => {
      const bytes = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect/></svg>`);
      assert.deepEqual(readDimensions('image/svg+xml', bytes), expected);
    });
  }

  test('AVIF: the size is that of the primary item, turned as it says', () => {
    const properties = [size(100, 50), size(640, 480), wrap('irot', Buffer.of(1))];
    const associations = Buffer.from([0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 1, 0, 2, 2, 2, 0x83]);
    const meta = Buffer.concat([
      Buffer.alloc(4),
      wrap('pitm', Buffer.from([0, 0, 0, 0, 0, 2])),
      wrap('iprp', Buffer.concat([wrap('ipco', Buffer.concat(properties)), wrap('ipma', associations)])),
    ]);
    const file = Buffer.concat([wrap('ftyp', Buffer.from('avif\0\0\0\0mif1')), wrap('meta', meta)]);
    assert.deepEqual(readDimensions('image/avif', file), { width: 480, height: 640 });
  });

  test('truncated and mangled files never throw and never hang', async () => {
    let undefinedAnswers = 0;
    for (const [, type, make] of encoded) {
      const bytes = (await make()).subarray(0, 600);
      for (let length = 0; length < bytes.length; length += 1) {
        if (readDimensions(type, bytes.subarray(0, length)) === undefined) undefinedAnswers += 1;
        const mangled = Buffer.from(bytes);
        mangled[length] = mangled[length]! ^ 0xff;
        mangled[(length * 7) % bytes.length] = 0;
        readDimensions(type, mangled);
      }
    }
    assert.ok(undefinedAnswers > 100);
  });
});

function wrap(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

function size(width: number, height: number): Buffer {
  const body = Buffer.alloc(12);
  body.writeUInt32BE(width, 4);
  body.writeUInt32BE(height, 8);
  return wrap('ispe', body);
}
