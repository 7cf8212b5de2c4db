// A page in which a stranger's pictures are decoded: in the browser's sandbox, without a script of anybody else's and without a way to any
// network.
import { callOf } from '#browser/page/in-page/call-of.ts';
import { decodePicture, measurePicture } from '#browser/page/in-page/decode-picture.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { PictureDeclined } from '#browser/picture-job.ts';
import { proxyBypassList } from '#browser/process/chromium-flags.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { within } from '#browser/process/deadline.ts';
import { decoderDocument, openDecoderDoor, type DecoderDoor } from '#browser/worker/decoder-door.ts';
import type { Dimensions } from '#core/image-header.ts';

export interface DecoderPage {
  readonly door: DecoderDoor;
  /** Undefined if it is no picture. */
  measure(address: string, signal: AbortSignal): Promise<Dimensions | undefined>;
  /** Returns `sent`, `animated`, `unreadable` or `too_large`. */
  decode(picture: PictureInPage, signal: AbortSignal): Promise<unknown>;
  /** Runs this in the page: what code could do that has taken it over, but for its system calls. */
  evaluate(expression: string, signal: AbortSignal): Promise<unknown>;
  /** Ends the process of the page. */
  dispose(signal: AbortSignal): Promise<void>;
}

interface PictureInPage {
  address: string;
  contentType: string;
  /** The colour behind what is transparent; null keeps it transparent. */
  background: string | null;
  /** From 0 to 1, if a JPEG is to be sent instead of pixels. */
  jpegQuality: number | null;
  /** As it is shown. */
  size: Dimensions;
  wanted: Dimensions;
}

export async function openDecoderPage(process: ChromiumProcess, signal: AbortSignal): Promise<DecoderPage> {
  const { root } = process.connection;
  const door = await openDecoderDoor();
  const { browserContextId } = await root.send(
    'Target.createBrowserContext',
    { proxyServer: `http://${door.host}:${door.port}`, proxyBypassList, disposeOnDetach: true },
    signal,
  );
  const crashed = new AbortController();
  let ignoreCrash = (): void => {};

  async function dispose(until: AbortSignal): Promise<void> {
    ignoreCrash();
    try {
      await root.send('Target.disposeBrowserContext', { browserContextId }, until);
    } finally {
      await door.close();
    }
  }

  async function open() {
    const { targetId } = await root.send(
      'Target.createTarget',
      { url: 'about:blank', browserContextId },
      signal,
    );
    ignoreCrash = process.onCrash(targetId, () => crashed.abort(new PictureDeclined('over_limits')));
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true }, signal);
    const session = process.connection.session(sessionId);
    const { promise: loaded, resolve: onLoaded } = Promise.withResolvers<void>();
    session.on('Page.loadEventFired', () => onLoaded());
    await Promise.all([
      root.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }, signal),
      session.send('Page.enable', undefined, signal),
    ]);
    await session.send('Page.navigate', { url: decoderDocument }, signal);
    await within(loaded, AbortSignal.any([signal, crashed.signal]));
    return session;
  }

  const session = await open().catch((error: unknown) => {
    ignore(dispose(signal));
    throw error;
  });

  async function evaluate(expression: string, until: AbortSignal): Promise<unknown> {
    const { result, exceptionDetails } = await session.send(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true },
      AbortSignal.any([until, crashed.signal]),
    );
    if (exceptionDetails) throw new PictureDeclined('unreadable', { cause: exceptionDetails });
    return result.value;
  }

  return {
    door,
    evaluate,
    dispose,
    async measure(address, until) {
      const [width, height] = String(await evaluate(callOf(measurePicture, address), until))
        .split(' ')
        .map(Number);
      return isSide(width) && isSide(height) ? { width, height } : undefined;
    },
    decode: ({ address, contentType, background, jpegQuality, size, wanted }, until) =>
      evaluate(
        callOf(
          decodePicture,
          address,
          contentType,
          background,
          jpegQuality,
          size.width,
          size.height,
          wanted.width,
          wanted.height,
        ),
        until,
      ),
  };
}

const isSide = (pixels: number | undefined): pixels is number => Number.isSafeInteger(pixels) && pixels! > 0;
