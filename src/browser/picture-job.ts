// A picture job: a stranger's picture, and what is made of it in the account's render worker. v2 3.
import type { Dimensions } from '#core/image-header.ts';
import type { OpenBlob } from '#storage/blobs.ts';
import type { PictureFormat } from '#browser/job.ts';

export interface PictureTask {
  /** The worker gets it as a file. Undefined if it is gone. */
  original: { open: () => Promise<OpenBlob | undefined> } | { path: string };
  contentType: string;
  /** As it is shown; null if unknown. */
  size: Dimensions | null;
  /** Null for that of the original. A drawing has it on its longer side. */
  width: number | null;
  format: PictureFormat;
  /** An SVG, drawn on white. */
  isDrawing: boolean;
  /** From the moment it has a worker. */
  timeoutMs: number;
}

/**
 * `animated`: the original is shown instead. `gone`: the original was deleted. `too_many_pixels` and `unreadable` hold for all that could
 * be made of the picture, the others for this only.
 */
export const declineReasons = [
  'animated',
  'gone',
  'too_many_pixels',
  'unreadable',
  'too_long',
  'too_large',
  'over_limits',
] as const;
export type DeclineReason = (typeof declineReasons)[number];

/** Nothing is made of the picture. */
export class PictureDeclined extends Error {
  readonly reason: DeclineReason;

  constructor(reason: DeclineReason, options?: { cause: unknown }) {
    super(`the picture is declined: ${reason}`, options);
    this.name = 'PictureDeclined';
    this.reason = reason;
  }
}

/** For all accounts together. They are made besides the renders, so there are so many workers more. */
export const picturesAtOnce = 2;
/** Larger pictures are not decoded: memory and time grow with the pixels. */
export const maxPicturePixels = 60_000_000;
/** The longest side in pixels. That of a canvas is as long as that of a JPEG. */
export const longestSide: Record<PictureFormat, number> = { webp: 16_383, jpeg: 65_535, png: 65_535 };

/** What is made of a picture that is shown in this size. Throws if it may not be made. */
export function sizeToMake(
  { width, height }: Dimensions,
  task: Pick<PictureTask, 'width' | 'format' | 'isDrawing'>,
): Dimensions {
  const { isDrawing } = task;
  if (!isDrawing && width * height > maxPicturePixels) throw new PictureDeclined('too_many_pixels');
  const wanted = task.width ?? width;
  const scale = isDrawing ? wanted / Math.max(width, height) : Math.min(1, wanted / width);
  const side = (pixels: number): number => Math.max(1, Math.round(pixels * scale));
  const size = { width: side(width), height: side(height) };
  if (Math.max(size.width, size.height) > longestSide[task.format]) throw new PictureDeclined('too_long');
  return size;
}
