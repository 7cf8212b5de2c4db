// Removes the metadata of a picture without decoding it: every pixel, the colour profile and the orientation stay as they are.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImageType } from '#uploads/image-types.ts';
import { cleanAvif } from '#uploads/metadata/avif.ts';
import { UnreadablePicture, type Cleaning, type CleaningSteps } from '#uploads/metadata/cleaning.ts';
import { cleanGif } from '#uploads/metadata/gif.ts';
import { cleanJpeg } from '#uploads/metadata/jpeg.ts';
import { cleanPng } from '#uploads/metadata/png.ts';
import { cleanWebp } from '#uploads/metadata/webp.ts';

/** An SVG has been sanitized instead. */
export type CleanableType = Exclude<ImageType, 'image/svg+xml'>;

const cleaners: Record<CleanableType, (bytes: Buffer) => CleaningSteps> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
  'image/gif': cleanGif,
  'image/avif': cleanAvif,
};
/** Then other requests have their turn. An ordinary picture takes less. */
const stepMs = 5;

/** Rejects with an `UnreadablePicture`, and with nothing else. */
export async function cleanPicture(type: CleanableType, bytes: Buffer): Promise<Cleaning> {
  const steps = cleaners[type](bytes);
  let pausesAt = performance.now() + stepMs;
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (performance.now() < pausesAt) continue;
      await nextTurn();
      pausesAt = performance.now() + stepMs;
    }
  } catch (error) {
    // A number that points past the end.
    throw error instanceof RangeError ? new UnreadablePicture('is damaged') : error;
  }
}
