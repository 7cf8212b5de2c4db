// Images and the size in their headers; made by a real encoder if there is one.
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { Dimensions } from '#core/image-header.ts';
import type { ImageType } from '#uploads/image-types.ts';

const wide = { width: 37, height: 21 };
const picture = (channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { ...wide, channels, background: { r: 200, g: 80, b: 10, alpha: 0.5 } } });

export const encodedTable: [
  name: string,
  type: ImageType,
  make: () => Promise<Buffer>,
  expected: Dimensions,
][] = [
  ['PNG', 'image/png', () => picture().png().toBuffer(), wide],
  [
    'PNG on its side',
    'image/png',
    () => picture().withMetadata({ orientation: 6 }).png().toBuffer(),
    { width: 21, height: 37 },
  ],
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

export const svgSizeTable: [attributes: string, expected: Dimensions | undefined][] = [
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
  ['width="3000000000" height="3"', { width: 3_000_000_000, height: 3 }],
  ['width="9007199254740991" height="1"', { width: Number.MAX_SAFE_INTEGER, height: 1 }],
  ['width="9007199254740993" height="1"', undefined],
  ['width="1e300" height="1"', undefined],
  ['viewBox="0 0 5e9 6e9"', { width: 5e9, height: 6e9 }],
  ['', undefined],
];

/** A PNG header without a picture, for any size that it can hold. */
export function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR........\x08\x06\0\0\0\0\0\0\0', 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}
