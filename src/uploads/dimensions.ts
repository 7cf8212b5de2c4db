// Reads the pixel size of an image from its header, for the share page and its previews.
import {
  readWebp,
  walkedBytes,
  walkJpeg,
  walkPng,
  type Dimensions,
  type SizeWalk,
} from '#core/image-header.ts';
import { walkAvif } from '#uploads/dimensions-avif.ts';
import { readSvgDimensions } from '#uploads/dimensions-svg.ts';
import type { ImageType } from '#uploads/image-types.ts';

/**
 * `head` has the first bytes; more are read only if those are not enough. PNG, GIF and WebP need 30, and SVG
 * nearly always less than 4 KiB. The size of a JPEG and the orientation of a PNG come after metadata and a colour profile of any length.
 */
export async function findDimensions(
  type: ImageType,
  head: Buffer,
  read: (maxBytes: number, from: number) => Promise<Buffer>,
): Promise<Dimensions | undefined> {
  const walk = walks[type]();
  for (let [piece, from, isLast] = [head, 0, false]; ;) {
    const found = take(walk, piece, isLast);
    if (typeof found !== 'number') return found;
    // A whole piece was not enough.
    if (found === 0 && piece.length >= walkedBytes) return undefined;
    from += found;
    piece = await read(walkedBytes, from);
    isLast = piece.length < walkedBytes;
  }
}

/** The size as shown, orientation applied; undefined if the bytes of the image do not contain it. Never throws. */
export function readDimensions(type: ImageType, bytes: Buffer): Dimensions | undefined {
  const found = take(walks[type](), bytes, true);
  return typeof found === 'number' ? undefined : found;
}

/** A size, undefined if there is none, or where to go on. */
function take(walk: SizeWalk, piece: Buffer, isLast: boolean): Dimensions | undefined | number {
  try {
    const found = walk(piece, isLast);
    if (found === null || typeof found === 'number') return found ?? undefined;
    return isPositive(found.width) && isPositive(found.height) ? found : undefined;
  } catch (error) {
    // Truncated or invalid structures lead to reads past the end of the buffer.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

const isPositive = (pixels: number): boolean => Number.isSafeInteger(pixels) && pixels > 0;

/** Of a type whose size is at its beginning, or in its first piece. */
const readAtOnce = (read: (bytes: Buffer) => Dimensions | undefined) => (): SizeWalk => (bytes, isLast) =>
  read(bytes) ?? (isLast ? null : 0);

const walks: Record<ImageType, () => SizeWalk> = {
  'image/png': walkPng,
  'image/jpeg': walkJpeg,
  'image/gif': readAtOnce((bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) })),
  'image/webp': readAtOnce(readWebp),
  'image/svg+xml': readAtOnce(readSvgDimensions),
  'image/avif': walkAvif,
};
