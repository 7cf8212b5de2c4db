// The steps of a screenshot and of a PDF, from top to bottom, on one page of this worker's browser. Spec 4.3, 4.4.
import { limits } from '#core/limits.ts';
import { RenderFailure, type PdfJob, type ScreenshotJob } from '#browser/browser.ts';
import { capture, tallestPx, type Area } from '#browser/page/capture.ts';
import { arrive, onOneDocument } from '#browser/page/document.ts';
import { revealFullPage, type PageExtent } from '#browser/page/full-page.ts';
import { navigate, throwIfFailed } from '#browser/page/navigate.ts';
import { prepareAtRest, type CaptureAtRest } from '#browser/page/page-at-rest.ts';
import type { Page } from '#browser/page/page.ts';
import { print } from '#browser/page/print.ts';
import { settle } from '#browser/page/settle.ts';
import { CdpError } from '#browser/process/cdp.ts';
import { createDeadline, pause, within, type Deadline } from '#browser/process/deadline.ts';
import type { Task } from '#browser/worker/messages.ts';
import type { Pages } from '#browser/worker/pages.ts';

export interface RenderOptions {
  leftMs: number;
  signal: AbortSignal;
  /** Prepares the page, before its first request. */
  prepare: (page: Page) => void;
  begin: (phase: string) => void;
  /** Called with each page that the render has used. */
  discard: (page: Page) => void;
}

// With less time left than this, a second attempt would fail too.
const retryMs = 5_000;

/** Rejects with a RenderFailure. A page whose script waits for the clock gets a second attempt in real time. */
export async function renderPage(pages: Pages, task: Task, options: RenderOptions): Promise<Buffer> {
  const totalMs = task.kind === 'screenshot' ? limits.screenshotTotalMs : limits.pdfTotalMs;
  const endsAt = performance.now() + options.leftMs;
  const attempt = async (inRealTime: boolean): Promise<Buffer> => {
    const deadline = createDeadline(totalMs, endsAt - performance.now(), options.signal);
    try {
      const page = await pages.take(deadline.signal);
      try {
        return await within(work(page, task, inRealTime, deadline, options), deadline.signal);
      } finally {
        options.discard(page);
      }
    } catch (error) {
      throw toRenderFailure(error, deadline.signal);
    } finally {
      deadline.end();
    }
  };
  try {
    return await attempt(false);
  } catch (error) {
    const { worksInRealTime } = error as RenderFailure;
    if (!worksInRealTime || endsAt - performance.now() < retryMs) throw error;
    return await attempt(true);
  }
}

async function work(
  page: Page,
  task: Task,
  inRealTime: boolean,
  deadline: Deadline,
  { prepare, begin }: RenderOptions,
): Promise<Buffer> {
  const fail = () => deadline.fail(page.fault.reason as RenderFailure);
  if (page.fault.aborted) fail();
  page.fault.addEventListener('abort', fail, { once: true });
  prepare(page);
  if (inRealTime) page.clock.useRealTime();
  return task.kind === 'screenshot'
    ? makeScreenshot(page, task.job, deadline, begin)
    : makePdf(page, task.job, deadline, begin);
}

async function makeScreenshot(
  page: Page,
  job: ScreenshotJob,
  deadline: Deadline,
  begin: RenderOptions['begin'],
): Promise<Buffer> {
  begin('navigate');
  page.resize(job);
  await navigate(page, job.url, 'load', deadline);
  begin('settle');
  let captureAtRest: CaptureAtRest | undefined;
  const arriveAndSettle = async () => {
    captureAtRest = await prepareAtRest(page, deadline);
    await settle(page, deadline);
  };
  const bytes = await onOneDocument(page, deadline, arriveAndSettle, async () => {
    const extent = job.fullPage
      ? await revealFullPage(page, job, tallestPx[job.format], deadline)
      : undefined;
    const captureNow = () =>
      capture(page, job, { area: extent && areaOf(extent, job), patches: extent?.patches, begin }, deadline);
    return job.fullPage || !captureAtRest ? captureNow() : captureAtRest(captureNow);
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

async function makePdf(
  page: Page,
  job: PdfJob,
  deadline: Deadline,
  begin: RenderOptions['begin'],
): Promise<Buffer> {
  begin('navigate');
  page.resize(job.viewport);
  await navigate(page, job.url, job.waitUntil, deadline);
  begin('settle');
  if (job.delayMs > 0) await pause(job.delayMs, deadline.signal);
  throwIfFailed(page);
  begin('capture');
  const bytes = await onOneDocument(
    page,
    deadline,
    () => arrive(page, job.waitUntil, deadline),
    () => print(page, job, deadline),
  );
  throwIfFailed(page);
  return bytes;
}

/** Whatever ended the render, the client gets one of the messages written here. */
function toRenderFailure(error: unknown, signal: AbortSignal): RenderFailure {
  if (error instanceof RenderFailure) return error;
  if (signal.reason instanceof RenderFailure) return signal.reason;
  const browserLost = error instanceof CdpError && error.connectionLost;
  return new RenderFailure('crashed', 'the browser could not render the page', { cause: error, browserLost });
}
