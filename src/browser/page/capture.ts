// Captures a settled page in the requested format and checks the picture before returning it: right format, right size, complete.
// Spec 4.3.
import sharp, { type OverlayOptions } from 'sharp';
import { RenderFailure } from '#browser/browser.ts';
import type { ScreenshotFormat, ScreenshotJob } from '#browser/browser.ts';
import { AnswerTooLarge } from '#browser/process/cdp.ts';
import { createPhase, within } from '#browser/process/deadline.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import type { Patch } from '#browser/page/far-frames.ts';
import { imageSize } from '#browser/page/image-size.ts';
import type { Dimensions } from '#core/image-header.ts';
import type { Page } from '#browser/page/page.ts';

/** The tallest picture that each format can hold; for JPEG, the limit of its libraries. */
export const tallestPx: Record<ScreenshotFormat, number> = { png: 65_535, jpeg: 65_500, webp: 16_383 };

// Three processes hold the pixels of one capture, at 4 bytes a pixel. Pages with more pixels are captured in several pieces; at a
// width of 1,440 px, one piece every 17,476 px.
const pieceMostPixels = 24 * 1024 * 1024;
const quality = 80;
// Limit for one picture and for all its pieces together, because the worker holds them while it joins them. A photograph that
// fills a page of 1,440 x 40,000 px has about this many bytes.
const usualMostBytes = 128 * 1024 * 1024;
// A page stuck in a loop never yields a picture, so waiting for the whole total budget is pointless. A page that still answers is
// only slow to draw (layers in 3D, a busy machine) and gets the same time once more.
const captureMs = 15_000;
const answerMs = 5_000;
const attempts = 2;

export interface Extent {
  /** The part of the document to capture; by default what the viewport shows. */
  area: Area | undefined;
  patches?: Patch[] | undefined;
  /** Called with the phases of the render. */
  begin: (phase: 'capture' | 'encode') => void;
}

export async function capture(
  page: Page,
  job: ScreenshotJob,
  extent: Extent,
  deadline: Deadline,
): Promise<Buffer> {
  const { width, height } = extent.area ?? job;
  for (let attempt = 1; ; attempt += 1) {
    const bytes = await take(page, job, extent, deadline);
    const made = imageSize(bytes, job.format);
    if (made?.width === width && made.height === height) return bytes;
    if (attempt === attempts)
      throw new RenderFailure('crashed', 'the browser gave no picture of the page', { cause: made });
  }
}

async function take(
  page: Page,
  { format, mostBytes = usualMostBytes }: ScreenshotJob,
  { area, patches = [], begin }: Extent,
  deadline: Deadline,
): Promise<Buffer> {
  begin('capture');
  const pieces = area ? piecesOf(area) : [undefined];
  const overlays = area ? overlaysOf(patches, area) : [];
  const isWhole = pieces.length === 1 && overlays.length === 0;
  // Chromium's own WebP encoder is slower than its fast PNG and sharp together.
  const raw = format === 'jpeg' && isWhole ? 'jpeg' : 'png';
  const pictures: Buffer[] = [];
  let left = mostBytes;
  for (const piece of pieces) {
    const picture = await shoot(page, raw, piece, left, deadline).catch((error: unknown) => {
      throw error instanceof AnswerTooLarge ? tooLarge(mostBytes) : error;
    });
    left -= picture.length;
    pictures.push(picture);
  }
  begin('encode');
  const [first] = pictures;
  const bytes = raw === format && isWhole ? first! : await encode(pictures, format, overlays);
  if (bytes.length > mostBytes) throw tooLarge(mostBytes);
  deadline.signal.throwIfAborted();
  return bytes;
}

/** A part of the document, in CSS pixels from its left and top edge. */
export interface Area extends Dimensions {
  x: number;
  y: number;
}

/** As few as possible, all equally tall except the last, which is at most a few pixels shorter. */
function piecesOf({ x, y, width, height }: Area): Area[] {
  const count = Math.ceil((width * height) / pieceMostPixels);
  const pieceHeight = Math.ceil(height / count);
  return Array.from({ length: count }, (_, index) => {
    const top = index * pieceHeight;
    return { x, y: y + top, width, height: Math.min(pieceHeight, height - top) };
  });
}

async function shoot(
  page: Page,
  format: 'png' | 'jpeg',
  area: Area | undefined,
  leftBytes: number,
  deadline: Deadline,
): Promise<Buffer> {
  const failure = (ms: number) => () =>
    new RenderFailure('timed_out', `the page could not be captured within ${ms / 1000} s`);
  const whole = deadline.phase(2 * captureMs, failure(2 * captureMs));
  const first = createPhase(whole.signal, captureMs, failure(captureMs));
  const picture = page.session.capture(
    {
      format,
      ...(format === 'jpeg' ? { quality } : {}),
      ...(area === undefined ? {} : { clip: { ...area, scale: 1 } }),
      optimizeForSpeed: true,
    },
    leftBytes,
    whole.signal,
  );
  try {
    return await within(picture, first.signal).catch(async (error: unknown) => {
      if (error !== first.signal.reason || whole.signal.aborted) throw error;
      await signOfLife(page, deadline, error as Error);
      return await picture;
    });
  } finally {
    first.end();
    whole.end();
  }
}

/** Throws `failure` if the page does not answer. */
async function signOfLife(page: Page, deadline: Deadline, failure: Error): Promise<void> {
  const phase = deadline.phase(answerMs, () => failure);
  try {
    await page.session.send('Runtime.evaluate', { expression: '1' }, phase.signal);
  } finally {
    phase.end();
  }
}

function tooLarge(mostBytes: number): RenderFailure {
  return new RenderFailure(
    'too_large',
    `the picture of the page is larger than ${mostBytes / 1024 ** 2} MiB; ask for a smaller part of it`,
  );
}

/** Omits a patch that extends beyond the picture. */
function overlaysOf(patches: Patch[], area: Area): OverlayOptions[] {
  return patches
    .map(({ png, x, y, width, height }) => ({ input: png, left: x - area.x, top: y - area.y, width, height }))
    .filter(({ left, top, width, height }) => {
      const isBeside = left < 0 || left + width > area.width;
      return !isBeside && top >= 0 && top + height <= area.height;
    });
}

function encode(pictures: Buffer[], format: ScreenshotFormat, overlays: OverlayOptions[]): Promise<Buffer> {
  const plain = pictures.length === 1 ? sharp(pictures[0], { limitInputPixels: false }) : join(pictures);
  const image = overlays.length === 0 ? plain : plain.composite(overlays);
  const encoders = {
    png: () => image.png({ compressionLevel: 3 }),
    jpeg: () => image.flatten().jpeg({ quality }),
    webp: () => image.webp({ quality, effort: 2 }),
  };
  return encoders[format]().toBuffer();
}

/** Pieces are joined while they are read, so that the whole picture is never in memory as pixels. */
function join(pictures: Buffer[]) {
  // Joining pads all pieces to the height of the first; the padding of the last is cut off again.
  const sizes = pictures.map((picture) => imageSize(picture, 'png') ?? { width: 0, height: 0 });
  const height = sizes.reduce((sum, size) => sum + size.height, 0);
  return sharp(pictures, { limitInputPixels: false, join: { across: 1 } }).extract({
    left: 0,
    top: 0,
    width: sizes[0]!.width,
    height,
  });
}
