// The browser on a managed Chromium: finds and starts it, tests its egress wall, sandbox and fonts, and holds the steps of a
// screenshot and of a PDF from top to bottom. Spec 4.3, 4.4.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createFairQueue } from '#core/fair-queue.ts';
import { newId } from '#core/ids.ts';
import type { Dimensions } from '#core/image-header.ts';
import { limits } from '#core/limits.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { createFile } from '#storage/open-file.ts';
import { memory } from '#browser/process/memory.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { Browser, PdfJob, Rendered, ScreenshotJob } from '#browser/browser.ts';
import { capture, tallestPx } from '#browser/page/capture.ts';
import type { Area } from '#browser/page/capture.ts';
import { CdpError } from '#browser/process/cdp.ts';
import { createDeadline, createPhase, pause } from '#browser/process/deadline.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { revealFullPage } from '#browser/page/full-page.ts';
import type { PageExtent } from '#browser/page/full-page.ts';
import { arrive, onOneDocument } from '#browser/page/document.ts';
import { createHost } from '#browser/host.ts';
import { navigate, throwIfFailed } from '#browser/page/navigate.ts';
import type { Page } from '#browser/page/page.ts';
import type { MemoryLimits } from '#browser/process/browser-watch.ts';
import { createPool } from '#browser/pool.ts';
import type { RecycleLimits } from '#browser/pool.ts';
import { print } from '#browser/page/print.ts';
import { settle } from '#browser/page/settle.ts';
import { createStanding } from '#browser/standing.ts';
import { startChromium, type StartOptions } from '#browser/start-chromium.ts';
import { prepareAtRest } from '#browser/page/page-at-rest.ts';
import type { TakeAtRest } from '#browser/page/page-at-rest.ts';

export interface ChromiumBrowserOptions extends StartOptions {
  /** Renders that may run at once; as many pages are kept ready. */
  concurrency: number;
  /** Where pictures and PDFs are left for whoever asked for them. */
  resultsFolder: string;
  recycle?: Partial<RecycleLimits>;
  memory?: Partial<MemoryLimits>;
}

const GiB = 1024 ** 3;
const usualRecycle: RecycleLimits = { renders: 500, ageMs: 60 * 60_000, browserBytes: GiB };
const usualMemory: MemoryLimits = {
  pageBytes: 1.5 * GiB,
  renderBytes: 2 * GiB,
  browserBytes: 1.5 * GiB,
  leftBytes: memory.leftBytes,
};
const checkMs = 5_000;
// With less budget left than this, a second attempt would fail too.
const retryMs = 5_000;
// A picture passes through the browser's main thread, and one of 25 MB keeps it from all other pages for half a second.
const largePixels = 4_000_000;
const largeBytes = 8 * 1024 * 1024;

export async function createChromiumBrowser(options: ChromiumBrowserOptions): Promise<Browser> {
  const { egress, log } = options;
  const { about, launch } = await startChromium(options);
  const standing = createStanding();
  const largePictures = createFairQueue({
    concurrency: Infinity,
    concurrencyPerAccount: 1,
    maxWaitMs: Infinity,
    tooLong: () => new RenderFailure('timed_out', 'the page could not be captured in time'),
  });
  const viewport = { width: limits.viewportWidth.default, height: limits.viewportHeight.default };
  const pool = await createPool({
    launch,
    createHost: (process, isSeparate) =>
      createHost({
        process,
        egress,
        viewport,
        // A blank page takes 16 MB. More are opened when renders ask for them, a few at a time.
        warmPages: Math.max(2, Math.ceil(options.concurrency / 4)),
        memory: { ...usualMemory, ...options.memory },
        isSeparate,
        log,
      }),
    recycle: { ...usualRecycle, ...options.recycle },
    log,
  });

  async function render(
    totalMs: number,
    account: string | undefined,
    caller: AbortSignal,
    work: (page: Page, deadline: Deadline) => Promise<Buffer>,
  ): Promise<Rendered> {
    const endRender = standing.begin(account);
    try {
      const bytes = await attempt(totalMs, account, caller, work);
      if (bytes.length > largeBytes && standing.hasNeighbours(account)) standing.blame(account);
      return await leave(bytes, options.resultsFolder);
    } finally {
      endRender();
    }
  }

  async function attempt(
    totalMs: number,
    account: string | undefined,
    caller: AbortSignal,
    work: (page: Page, deadline: Deadline) => Promise<Buffer>,
  ): Promise<Buffer> {
    const endsAt = performance.now() + totalMs;
    let isRetry = false;
    let inRealTime = false;
    for (;;) {
      const deadline = createDeadline(totalMs, endsAt - performance.now(), caller);
      const isSuspect = standing.isSuspect(account);
      const isAlone = isRetry || isSuspect;
      const isLow = isSuspect || standing.isCrowding(account);
      let fault: RenderFailure | undefined;
      try {
        const lend = isAlone
          ? pool.lendAlone(isLow ? 'low' : 'usual', () => standing.blame(account))
          : pool.lend;
        return await lend(deadline.signal, (page) => {
          const fail = () => deadline.fail((fault = page.fault.reason as RenderFailure));
          if (page.fault.aborted) fail();
          page.fault.addEventListener('abort', fail, { once: true });
          if (inRealTime) page.clock.useRealTime();
          return work(page, deadline);
        });
      } catch (error) {
        const failure = toRenderFailure(error, deadline.signal);
        // If several renders lost a browser, only those that brought it down fail again.
        const failedTwice = isRetry && failure.reason !== 'aborted';
        const hasTime = endsAt - performance.now() >= retryMs;
        // A page that waits until there is no time for a second attempt could otherwise end the browser again and again.
        const isLate = failure.browserLost && !hasTime;
        if (failedTwice || isLate || fault?.reason === 'too_large') standing.blame(account);
        if (!hasTime) throw failure;
        if (failure.worksInRealTime && !inRealTime) {
          inRealTime = true;
          continue;
        }
        if (isAlone || !failure.browserLost) throw failure;
        log.warn({ err: failure }, 'a render lost its browser and is tried once more');
        isRetry = true;
      } finally {
        deadline.end();
      }
    }
  }

  /** While other accounts render too, an account takes one large picture at a time. */
  const oneAtATime: Take = (job, { width, height }, take, deadline) =>
    width * height > largePixels && standing.hasNeighbours(job.account)
      ? largePictures.run(job.account ?? '', take, { signal: deadline.signal })
      : take();

  return {
    about,
    screenshot: (job, signal) =>
      render(limits.screenshotTotalMs, job.account, signal, (page, deadline) =>
        takeScreenshot(page, job, deadline, oneAtATime),
      ),
    pdf: (job, signal) =>
      render(limits.pdfTotalMs, job.account, signal, (page, deadline) => makePdf(page, job, deadline)),
    async check() {
      const phase = createPhase(
        new AbortController().signal,
        checkMs,
        () => new Error('the browser does not answer'),
      );
      try {
        await pool.check(phase.signal);
      } finally {
        phase.end();
      }
    },
    close: () => pool.close(),
  };
}

/** Takes a picture of this size, at once or when the account's turn comes. */
type Take = (
  job: ScreenshotJob,
  size: Dimensions,
  take: () => Promise<Buffer>,
  deadline: Deadline,
) => Promise<Buffer>;

async function takeScreenshot(
  page: Page,
  job: ScreenshotJob,
  deadline: Deadline,
  inTurn: Take,
): Promise<Buffer> {
  job.phases?.begin('navigate');
  page.resize(job);
  await navigate(page, job.url, 'load', deadline);
  job.phases?.begin('settle');
  let takeAtRest: TakeAtRest | undefined;
  const arriveAndSettle = async () => {
    takeAtRest = await prepareAtRest(page, deadline);
    await settle(page, deadline);
  };
  const bytes = await onOneDocument(page, deadline, arriveAndSettle, async () => {
    const extent = job.fullPage
      ? await revealFullPage(page, job, tallestPx[job.format], deadline)
      : undefined;
    const area = extent && areaOf(extent, job);
    const take = () => capture(page, job, area, deadline, extent?.patches);
    const takeWhenReady = () => (job.fullPage || !takeAtRest ? take() : takeAtRest(take));
    return await inTurn(job, area ?? job, takeWhenReady, deadline);
  });
  throwIfFailed(page);
  return bytes;
}

/**
 * As wide as the viewport, starting where the reader's view begins; as tall as the page, up to the format's limit. A page that
 * fits into the viewport is captured as the viewport.
 */
function areaOf({ start, height }: PageExtent, job: ScreenshotJob): Area | undefined {
  if (height <= job.height) return undefined;
  const tall = Math.min(height, tallestPx[job.format]);
  // If lines run upwards, the page begins at its bottom, and that end is kept.
  return { x: start.x, y: Math.max(0, start.y + job.height - tall), width: job.width, height: tall };
}

async function makePdf(page: Page, job: PdfJob, deadline: Deadline): Promise<Buffer> {
  job.phases?.begin('navigate');
  page.resize(job.viewport);
  await navigate(page, job.url, job.waitUntil, deadline);
  job.phases?.begin('settle');
  if (job.delayMs > 0) await pause(job.delayMs, deadline.signal);
  throwIfFailed(page);
  job.phases?.begin('capture');
  const bytes = await onOneDocument(
    page,
    deadline,
    () => arrive(page, job.waitUntil, deadline),
    () => print(page, job, deadline),
  );
  throwIfFailed(page);
  return bytes;
}

const digestPieceBytes = 4 * 1024 * 1024;

async function leave(bytes: Buffer, folder: string): Promise<Rendered> {
  makeFolder(folder);
  const path = join(folder, newId());
  const file = await createFile(path);
  await file.append([bytes]).finally(() => file.close());
  // In pieces: hashing 100 MB at once would block the event loop for a quarter of a second.
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += digestPieceBytes) {
    hash.update(bytes.subarray(at, at + digestPieceBytes));
    await setImmediate();
  }
  return { path, sizeBytes: bytes.length, sha256: hash.digest('hex') };
}

/** Whatever ended the render, the client gets one of the messages written here. */
function toRenderFailure(error: unknown, signal: AbortSignal): RenderFailure {
  if (error instanceof RenderFailure) return error;
  if (signal.reason instanceof RenderFailure) return signal.reason;
  const browserLost = error instanceof CdpError && error.connectionLost;
  return new RenderFailure('crashed', 'the browser could not render the page', { cause: error, browserLost });
}
