// Removes the metadata of a picture without decoding it: every pixel, the colour profile and the orientation stay as they are.
import { Unreadable } from '#cell/work.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { cleanAvif } from '#uploads/metadata/avif.ts';
import type { Cleaning } from '#uploads/metadata/cleaning.ts';
import { cleanGif } from '#uploads/metadata/gif.ts';
import { cleanJpeg } from '#uploads/metadata/jpeg.ts';
import { cleanPng } from '#uploads/metadata/png.ts';
import { cleanWebp } from '#uploads/metadata/webp.ts';

/** An SVG has been sanitized instead. */
export type CleanableType = Exclude<ImageType, 'image/svg+xml'>;

const cleaners: Record<CleanableType, (bytes: Buffer) => Cleaning> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
  'image/gif': cleanGif,
  'image/avif': cleanAvif,
};

/** Throws `Unreadable` if the file is damaged or cannot be read with certainty. */
export function cleanPicture(type: CleanableType, bytes: Buffer): Cleaning {
  try {
    return cleaners[type](bytes);
  } catch (error) {
    // A number that points past the end.
    throw error instanceof RangeError ? new Unreadable('is damaged') : error;
  }
}
