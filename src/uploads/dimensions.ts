// Reads the pixel size of an image wherever it is in the file, for the share page and its previews. Runs in the cell.
import type { Made } from '#cell/work.ts';
import type { Dimensions } from '#core/image-header.ts';
import { readAvif } from '#uploads/dimensions-avif.ts';
import { readSvgDimensions } from '#uploads/dimensions-svg.ts';
import { headerDimensions, soundSize } from '#uploads/header-dimensions.ts';
import type { ImageType } from '#uploads/image-types.ts';

export interface SizeFacts {
  dimensions: Dimensions | undefined;
}

/** Measures the beginning of a file, or the whole. */
export const measureFile = (
  sent: Buffer,
  { type, isWhole }: { type: ImageType; isWhole: boolean },
): Made<SizeFacts> => ({ facts: { dimensions: readDimensions(type, sent, isWhole) } });

/** The size as shown, orientation applied; undefined if the bytes of the image do not contain it. Never throws. */
export function readDimensions(type: ImageType, bytes: Buffer, isWhole = true): Dimensions | undefined {
  if (type === 'image/svg+xml') return soundSize(() => readSvgDimensions(bytes));
  if (type === 'image/avif') return soundSize(() => readAvif(bytes));
  return headerDimensions(type, bytes, isWhole);
}
