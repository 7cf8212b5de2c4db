// Reads the pixel size of a picture from its first bytes, in the service itself: most pictures have it there.
import { readJpeg, readTurnedPng, readWebp, type Dimensions } from '#core/image-header.ts';
import type { ImageType } from '#uploads/image-types.ts';

/** The containers of the other types have to be searched, in the cell. */
export type HeaderType = Exclude<ImageType, 'image/svg+xml' | 'image/avif'>;

export const hasHeader = (type: ImageType): type is HeaderType => type in readers;

/** The size as shown, orientation applied. Undefined if it is not in these bytes; `isWhole` if there are no more. Never throws. */
export const headerDimensions = (type: HeaderType, bytes: Buffer, isWhole: boolean): Dimensions | undefined =>
  soundSize(() => readers[type](bytes, isWhole));

const readers: Record<HeaderType, (bytes: Buffer, isWhole: boolean) => Dimensions | undefined> = {
  'image/png': readTurnedPng,
  'image/jpeg': readJpeg,
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/webp': readWebp,
};

/** Truncated or invalid structures lead to reads past the end of the bytes, and have no size. */
export function soundSize(read: () => Dimensions | undefined): Dimensions | undefined {
  try {
    const found = read();
    return found && isPositive(found.width) && isPositive(found.height) ? found : undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

const isPositive = (pixels: number): boolean => Number.isSafeInteger(pixels) && pixels > 0;
