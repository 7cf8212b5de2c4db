// Captures a settled page in the requested format and checks the picture before returning it: right format, right size, complete.
// Spec 4.3.
import sharp, { type OverlayOptions } from 'sharp';
import { RenderFailure } from '#browser/browser.ts';
import type { ScreenshotFormat, ScreenshotJob } from '#browser/browser.ts';
import { AnswerTooLarge } from '#browser/process/cdp.ts';
import { within } from '#browser/process/deadline.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { atMost, inTime } from '#browser/page/at-most.ts';
import { imageSize } from '#browser/page/image-size.ts';
import type { Dimensions } from '#core/image-header.ts';
import type { Page } from '#browser/page/page.ts';
import { answerMs, captureMs } from '#browser/page/times.ts';

/** The tallest picture that each format can hold; for JPEG, the limit of its libraries. */
export const tallestPx: Record<ScreenshotFormat, number> = { png: 65_535, jpeg: 65_500, webp: 16_383 };

// Three processes hold the pixels of one capture, at 4 bytes a pixel. Pages with more pixels are captured in several pieces; at a
// width of 1,440 px, one piece every 17,476 px.
const maxPiecePixels = 24 * 1024 * 1024;
const quality = 80;
// Limit for one picture and for all its pieces together, because the worker holds them while it joins them. A photograph that
// fills a page of 1,440 x 40,000 px has about this many bytes.
const maxBytes = 128 * 1024 * 1024;
const maxAttempts = 2;

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
    const bytes = await captureOnce(page, job, extent, deadline);
    const made = imageSize(bytes, job.format);
    if (made?.width === width && made.height === height) return bytes;
    if (attempt === maxAttempts)
      throw new RenderFailure('crashed', 'the browser gave no picture of the page', { cause: made });
  }
}

async function captureOnce(
  page: Page,
  { format }: ScreenshotJob,
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
  let left = maxBytes;
  for (const piece of pieces) {
    const picture = await shoot(page, raw, piece, left, deadline).catch((error: unknown) => {
      throw error instanceof AnswerTooLarge ? tooLarge() : error;
    });
    left -= picture.length;
    pictures.push(picture);
  }
  begin('encode');
  const [first] = pictures;
  const bytes = raw === format && isWhole ? first! : await encode(pictures, format, overlays);
  if (bytes.length > maxBytes) throw tooLarge();
  deadline.signal.throwIfAborted();
  return bytes;
}

/** A part of the document, in CSS pixels from its left and top edge. */
export interface Area extends Dimensions {
  x: number;
  y: number;
}

/** A part of the document as it looks when a reader has scrolled to it. */
export interface Patch extends Area {
  png: Buffer;
}

/** As few as possible, all equally tall except the last, which is at most a few pixels shorter. */
function piecesOf({ x, y, width, height }: Area): Area[] {
  const count = Math.ceil((width * height) / maxPiecePixels);
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
  const late = (ms: number) => () =>
    new RenderFailure('timed_out', `the page could not be captured within ${ms / 1000} s`);
  return await inTime(2 * captureMs, deadline.signal, late(2 * captureMs), async (whole) => {
    const capturing = page.session.capture(
      {
        format,
        ...(format === 'jpeg' ? { quality } : {}),
        ...(area === undefined ? {} : { clip: { ...area, scale: 1 } }),
        optimizeForSpeed: true,
      },
      leftBytes,
      whole,
    );
    const picture = await atMost(captureMs, whole, (signal) => within(capturing, signal));
    if (picture) return picture;
    await inTime(answerMs, whole, late(captureMs), (signal) =>
      page.session.send('Runtime.evaluate', { expression: '1' }, signal),
    );
    return await capturing;
  });
}

function tooLarge(): RenderFailure {
  return new RenderFailure(
    'too_large',
    `the picture of the page is larger than ${maxBytes / 1024 ** 2} MiB; ask for a smaller part of it`,
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
