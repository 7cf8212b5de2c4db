// Takes the picture of a page that has settled, in the asked format, and proves it before it is handed on: right
// format, right size, whole. Spec 4.3, design section 5 (capture).
import sharp from 'sharp';
import { RenderFailure } from '#browser/browser.ts';
import type { ScreenshotFormat, ScreenshotJob } from '#browser/browser.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { imageSize } from '#browser/page/image-size.ts';
import type { ImageSize } from '#browser/page/image-size.ts';
import type { Page } from '#browser/page/page.ts';

export interface Capture {
  bytes: Buffer;
  captureMs: number;
  encodeMs: number;
}

/** The tallest picture that each format can hold; for JPEG what its libraries write and read. */
export const tallestPx: Record<ScreenshotFormat, number> = { png: 65_535, jpeg: 65_500, webp: 16_383 };

// One capture holds the whole picture as pixels in three processes; above this height it is taken in tiles.
const singleCaptureMostPx = 16_000;
const tilePx = 4_096;
const quality = 80;
// The first picture of a page that is stuck in a loop never comes; there is no use in waiting out the total budget.
const captureMs = 15_000;
const attempts = 2;

export async function capture(
  page: Page,
  job: ScreenshotJob,
  size: ImageSize,
  deadline: Deadline,
): Promise<Capture> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await take(page, job, size, deadline);
    const made = imageSize(result.bytes, job.format);
    if (made?.width === size.width && made.height === size.height) return result;
    if (attempt === attempts)
      throw new RenderFailure('crashed', 'the browser gave no picture of the page', { cause: made });
  }
}

async function take(page: Page, job: ScreenshotJob, size: ImageSize, deadline: Deadline): Promise<Capture> {
  const startedAt = performance.now();
  const isTiled = size.height > singleCaptureMostPx;
  // Chromium's own WebP encoder is slower than its fast PNG and sharp together.
  const raw = job.format === 'jpeg' && !isTiled ? 'jpeg' : 'png';
  const clip = job.fullPage ? { x: 0, y: 0, ...size, scale: 1 } : undefined;
  const pieces = isTiled ? tilesOf(size) : [clip];
  const pictures: Buffer[] = [];
  for (const piece of pieces) pictures.push(await shoot(page, raw, piece, deadline));
  const capturedAt = performance.now();
  const [first] = pictures;
  const bytes = raw === job.format && !isTiled ? first! : await encode(pictures, size, job.format);
  deadline.signal.throwIfAborted();
  return { bytes, captureMs: capturedAt - startedAt, encodeMs: performance.now() - capturedAt };
}

interface Clip extends ImageSize {
  x: number;
  y: number;
  scale: number;
}

function tilesOf({ width, height }: ImageSize): Clip[] {
  const count = Math.ceil(height / tilePx);
  return Array.from({ length: count }, (_, index) => {
    const y = index * tilePx;
    return { x: 0, y, width, height: Math.min(tilePx, height - y), scale: 1 };
  });
}

async function shoot(
  page: Page,
  format: 'png' | 'jpeg',
  clip: Clip | undefined,
  deadline: Deadline,
): Promise<Buffer> {
  const phase = deadline.phase(
    captureMs,
    () => new RenderFailure('timed_out', 'the page did not let itself be drawn in time'),
  );
  try {
    const { data } = await page.session.send(
      'Page.captureScreenshot',
      {
        format,
        ...(format === 'jpeg' ? { quality } : {}),
        ...(clip === undefined ? {} : { clip, captureBeyondViewport: true }),
        optimizeForSpeed: true,
      },
      phase.signal,
    );
    return Buffer.from(data, 'base64');
  } finally {
    phase.end();
  }
}

function encode(pictures: Buffer[], size: ImageSize, format: ScreenshotFormat): Promise<Buffer> {
  // Tiles are joined as they are read, so that the whole never stands in memory as pixels; the last may be shorter,
  // and joining makes up its height.
  const image =
    pictures.length === 1
      ? sharp(pictures[0], { limitInputPixels: false })
      : sharp(pictures, { limitInputPixels: false, join: { across: 1 } }).extract({
          left: 0,
          top: 0,
          ...size,
        });
  const encoders = {
    png: () => image.png({ compressionLevel: 3 }),
    jpeg: () => image.flatten().jpeg({ quality }),
    webp: () => image.webp({ quality, effort: 2 }),
  };
  return encoders[format]().toBuffer();
}
