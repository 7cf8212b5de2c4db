// Reads the pixel size of an image from its header, for the share page and its previews.
import { readJpeg, readShownPng, readWebp, type Dimensions } from '#core/image-header.ts';
import { readAvifDimensions } from '#uploads/dimensions-avif.ts';
import { readSvgDimensions } from '#uploads/dimensions-svg.ts';
import type { ImageType } from '#uploads/image-types.ts';

/**
 * The number of first bytes searched. PNG, GIF and WebP need 30; AVIF and SVG nearly always under 4 KiB; a JPEG's size comes
 * after its metadata, which an embedded thumbnail or colour profile may enlarge.
 */
const dimensionBytes = 256 * 1024;

/** `head` has the first bytes; more are read only if those are not enough. */
export async function findDimensions(
  type: ImageType,
  head: Buffer,
  read: (maxBytes: number) => Promise<Buffer>,
): Promise<Dimensions | undefined> {
  // A truncated AVIF may yield the size of another of its images.
  const found = type === 'image/avif' ? undefined : readDimensions(type, head);
  return found ?? readDimensions(type, await read(dimensionBytes));
}

/** The size as shown, orientation applied; undefined if the bytes do not contain it. Never throws. */
export function readDimensions(type: ImageType, bytes: Buffer): Dimensions | undefined {
  const head = bytes.subarray(0, dimensionBytes);
  let size: Dimensions | undefined;
  try {
    size = readers[type](head);
  } catch (error) {
    // Truncated or invalid structures lead to reads past the end of the buffer.
    if (!(error instanceof RangeError)) throw error;
  }
  return size !== undefined && isPositive(size.width) && isPositive(size.height) ? size : undefined;
}

const isPositive = (pixels: number): boolean => Number.isSafeInteger(pixels) && pixels > 0;

const readers: Record<ImageType, (bytes: Buffer) => Dimensions | undefined> = {
  'image/png': readShownPng,
  'image/jpeg': readJpeg,
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/webp': readWebp,
  'image/svg+xml': readSvgDimensions,
  'image/avif': readAvifDimensions,
};
