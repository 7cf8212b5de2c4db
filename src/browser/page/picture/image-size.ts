// Reads the size of an encoded picture from its bytes, which also proves that it is a picture: Chromium has been seen to return
// an empty string without an error.
import { readJpeg, readPng, readWebp, type Dimensions } from '#core/image-header.ts';
import type { PictureFormat } from '#browser/job.ts';

interface Reader {
  isWhole(bytes: Buffer): boolean;
  sizeOf(bytes: Buffer): Dimensions | undefined;
}

const readers: Record<PictureFormat, Reader> = {
  png: {
    isWhole: (bytes) =>
      text(bytes, 0, 8) === '\x89PNG\r\n\x1a\n' && text(bytes, bytes.length - 8, bytes.length - 4) === 'IEND',
    sizeOf: readPng,
  },
  jpeg: {
    isWhole: (bytes) => text(bytes, 0, 2) === '\xff\xd8' && text(bytes, bytes.length - 2) === '\xff\xd9',
    sizeOf: readJpeg,
  },
  webp: {
    isWhole: (bytes) =>
      text(bytes, 0, 4) === 'RIFF' &&
      text(bytes, 8, 12) === 'WEBP' &&
      bytes.readUInt32LE(4) + 8 <= bytes.length,
    sizeOf: readWebp,
  },
};

/** Null if the bytes are not a complete picture of that format. */
export function imageSize(bytes: Buffer, format: PictureFormat): Dimensions | null {
  const { isWhole, sizeOf } = readers[format];
  try {
    return bytes.length > 45 && isWhole(bytes) ? (sizeOf(bytes) ?? null) : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const text = (bytes: Buffer, from: number, to?: number): string =>
  bytes.toString('latin1', Math.max(0, from), to);
