// Captures a settled page in the requested format and checks the picture before returning it: right format, right size, complete.
// Spec 4.3.
import { RenderFailure } from '#browser/browser.ts';
import type { PictureFormat, View } from '#browser/job.ts';
import { AnswerTooLarge } from '#browser/process/cdp.ts';
import { within } from '#browser/process/deadline.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { atMost, inTime } from '#browser/page/time/at-most.ts';
import {
  encode,
  overlaysOf,
  type Area,
  type Encoding,
  type Patch,
  type Picture,
} from '#browser/page/picture/encode.ts';
import { imageSize } from '#browser/page/picture/image-size.ts';
import type { Dimensions } from '#core/image-header.ts';
import type { Page } from '#browser/page/page.ts';
import { answerMs, captureMs } from '#browser/page/time/times.ts';

/** The longest side of a picture that each format can hold; for JPEG, the limit of its libraries. */
export const longestPx: Record<PictureFormat, number> = { png: 65_535, jpeg: 65_500, webp: 16_383 };

// Three processes hold the pixels of one capture, at 4 bytes a pixel. Pages with more pixels are captured in several pieces; at a
// width of 1,440 px, one piece every 17,476 px.
export const maxPiecePixels = 24 * 1024 * 1024;
// Limit for one picture and for all its pieces together, because the worker holds them while it joins them. A photograph that
// fills a page of 1,440 x 40,000 px has about this many bytes.
const maxBytes = 128 * 1024 * 1024;
const maxAttempts = 2;

export interface Wanted extends Encoding {
  view: Pick<View, 'width' | 'height' | 'pixelRatio'>;
  /** The part of the document to capture; by default what the viewport shows. */
  area: Area | undefined;
  patches: Patch[];
  /** The scale of the area. */
  scale: number;
}

type Begin = (phase: 'capture' | 'encode') => void;

/** `begin` is called with the phases of the render. */
export async function capture(
  page: Page,
  wanted: Wanted,
  begin: Begin,
  deadline: Deadline,
): Promise<Picture> {
  for (let attempt = 1; ; attempt += 1) {
    const picture = await captureOnce(page, wanted, begin, deadline);
    if (picture) return picture;
    if (attempt === maxAttempts)
      throw new RenderFailure('crashed', 'the browser gave no picture of the page');
  }
}

/** Undefined if what the browser gave is no picture, or not of the right size. */
async function captureOnce(
  page: Page,
  { format, quality, resize, view, area, patches, scale }: Wanted,
  begin: Begin,
  deadline: Deadline,
): Promise<Picture | undefined> {
  begin('capture');
  const pixelRatio = view.pixelRatio * scale;
  const pieces = area ? piecesOf(area, pixelRatio) : [undefined];
  const overlays = area ? await overlaysOf(patches, area, pixelRatio) : [];
  const isWhole = pieces.length === 1 && overlays.length === 0 && resize === null;
  // Chromium's own WebP encoder is slower than its fast PNG and sharp together.
  const raw = format === 'jpeg' && isWhole ? 'jpeg' : 'png';
  const pictures: Picture[] = [];
  let left = maxBytes;
  for (const piece of pieces) {
    const bytes = await shoot(
      page,
      { format: raw, quality, area: piece && { ...piece, scale } },
      left,
      deadline,
    ).catch((error: unknown) => {
      throw error instanceof AnswerTooLarge ? tooLarge() : error;
    });
    const size = imageSize(bytes, raw);
    if (!size || !isSizeOf(size, piece ?? view, pixelRatio)) return undefined;
    left -= bytes.length;
    pictures.push({ bytes, ...size });
  }
  begin('encode');
  const [first] = pictures;
  const bytes =
    raw === format && isWhole ? first!.bytes : await encode(pictures, overlays, { format, quality, resize });
  if (bytes.length > maxBytes) throw tooLarge();
  deadline.signal.throwIfAborted();
  const size = imageSize(bytes, format);
  return size ? { bytes, ...size } : undefined;
}

/** As few as possible, all equally tall except the last, which is at most a few pixels shorter. */
export function piecesOf({ x, y, width, height }: Area, pixelRatio: number): Area[] {
  const count = Math.ceil((width * height * pixelRatio ** 2) / maxPiecePixels);
  // Pieces meet where a pixel of the picture begins. The ratios of real devices are multiples of an eighth.
  const step = Number.isInteger(pixelRatio) ? 1 : 8;
  const pieceHeight = Math.ceil(height / count / step) * step;
  return Array.from({ length: Math.ceil(height / pieceHeight) }, (_, index) => {
    const top = index * pieceHeight;
    return { x, y: y + top, width, height: Math.min(pieceHeight, height - top) };
  });
}

/** The browser rounds where the ratio is not a whole number. */
function isSizeOf(size: Dimensions, { width, height }: Dimensions, pixelRatio: number): boolean {
  return Math.abs(size.width - width * pixelRatio) < 1 && Math.abs(size.height - height * pixelRatio) < 1;
}

async function shoot(
  page: Page,
  {
    format,
    quality,
    area,
  }: { format: 'png' | 'jpeg'; quality: number; area: (Area & { scale: number }) | undefined },
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
        ...(area === undefined ? {} : { clip: area }),
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
