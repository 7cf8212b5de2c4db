// Makes pictures of strangers' pictures: a page decodes them and sends a JPEG, or pixels that are encoded here. It is used again for the same
// account; it is discarded after a failure, and before the worker serves another account.
import sharp, { type Sharp } from 'sharp';
import { RenderFailure } from '#browser/browser.ts';
import { PictureDeclined, sizeToMake, type PictureTask } from '#browser/picture-job.ts';
import { CdpError } from '#browser/process/cdp.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { createDeadline, createPhase, within } from '#browser/process/deadline.ts';
import { openDecoderPage, type DecoderPage } from '#browser/worker/decoder-page.ts';
import type { Dimensions } from '#core/image-header.ts';
import { limits } from '#core/limits.ts';
import { createTurns } from '#core/turns.ts';

export interface Decoder {
  make(task: PictureTask, limits: { leftMs: number; signal: AbortSignal }): Promise<MadePicture>;
  /** Ends the page. */
  forget(): Promise<void>;
}

interface MadePicture extends Dimensions {
  bytes: Buffer;
}

/** What a decoder may leave in its process is gone after so many. */
const picturesPerPage = 100;
const forgetMs = 2_000;
const encodeSeconds = 10;

/** `onStuck`: the browser does not end a page. */
export function createDecoder(process: ChromiumProcess, onStuck: () => void): Decoder {
  const inTurn = createTurns(1);
  let page: DecoderPage | undefined;
  let pictures = 0;

  async function forget(): Promise<void> {
    const old = page;
    page = undefined;
    pictures = 0;
    const phase = createPhase(process.gone, forgetMs, () => new Error('not discarded in time'));
    try {
      await old?.dispose(phase.signal);
    } catch {
      onStuck();
    } finally {
      phase.end();
    }
  }

  async function make(task: PictureTask, signal: AbortSignal): Promise<MadePicture> {
    if (!('path' in task.original)) throw new Error('the original was not handed over');
    if (pictures >= picturesPerPage) await forget();
    pictures += 1;
    page ??= await openDecoderPage(process, signal);
    const { contentType, format, isDrawing } = task;
    const exchange = page.door.offer({ path: task.original.path, contentType });
    const { address } = exchange;
    const size = task.size ?? (await page.measure(address, signal));
    if (!size) throw new PictureDeclined('unreadable');
    const wanted = sizeToMake(size, task);
    const isJpeg = format === 'jpeg';
    const received = exchange.receive(isJpeg ? limits.fileBytes : 4 * wanted.width * wanted.height);
    const background = isDrawing || isJpeg ? '#fff' : null;
    const jpegQuality = isJpeg ? 0.82 : null;
    const picture = { address, contentType, background, jpegQuality, size, wanted };
    const outcome = await page.decode(picture, signal);
    if (outcome === 'animated' || outcome === 'unreadable' || outcome === 'too_large')
      throw new PictureDeclined(outcome);
    const sent = await within(received, signal);
    const bytes = isJpeg ? sent : await encode(sent, wanted, format);
    if (bytes.length > limits.fileBytes) throw new PictureDeclined('too_large');
    return { bytes, ...wanted };
  }

  return {
    make: (task, { leftMs, signal }) =>
      inTurn(async () => {
        const deadline = createDeadline(task.timeoutMs, Math.min(leftMs, task.timeoutMs), signal);
        try {
          return await make(task, deadline.signal);
        } catch (error) {
          const isAnswer = error instanceof PictureDeclined && error.reason === 'animated';
          if (!isAnswer) await forget();
          throw toDeclined(error);
        } finally {
          deadline.end();
        }
      }),
    forget,
  };
}

/** What the page did is about the picture, unless the whole browser is lost or the work was cancelled. */
function toDeclined(error: unknown): unknown {
  if (error instanceof RenderFailure && error.reason === 'timed_out')
    return new PictureDeclined('over_limits', { cause: error });
  if (!(error instanceof CdpError)) return error;
  return error.connectionLost
    ? new RenderFailure('crashed', 'the browser was lost', { cause: error, browserLost: true })
    : new PictureDeclined('over_limits', { cause: error });
}

async function encode(
  pixels: Buffer,
  { width, height }: Dimensions,
  format: 'webp' | 'png',
): Promise<Buffer> {
  if (pixels.length !== 4 * width * height) throw new PictureDeclined('over_limits');
  const stored = sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: false });
  const picture = isOpaque(pixels) ? stored.removeAlpha() : stored;
  try {
    return await encoders[format](picture).timeout({ seconds: encodeSeconds }).toBuffer();
  } catch (error) {
    throw new PictureDeclined('over_limits', { cause: error });
  }
}

const encoders: Record<'webp' | 'png', (picture: Sharp) => Sharp> = {
  webp: (picture) => picture.webp({ quality: 80, effort: 2 }),
  png: (picture) => picture.png({ compressionLevel: 7 }),
};

const isOpaque = (pixels: Buffer): boolean => {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0xff) return false;
  return true;
};
