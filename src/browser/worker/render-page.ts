// The steps of a render, from top to bottom, on one page of this worker's browser. Their order is part of the contract. Spec 4.3, 4.4.
import { RenderFailure, type PageReceipt, type Warning } from '#browser/browser.ts';
import { isPicture, type AccessibilityOutput, type Output, type Task, type Viewport } from '#browser/job.ts';
import type { Attempt, MadeOutput } from '#browser/page/attempt.ts';
import { changePage, renewStyles, runScript } from '#browser/page/change/changes.ts';
import { compareOutputs } from '#browser/page/picture/compare.ts';
import { waitFor } from '#browser/page/open/conditions.ts';
import { declineCookieBanners } from '#browser/page/change/cookie-banners.ts';
import { readAccessibility } from '#browser/page/extract/accessibility.ts';
import { extentOf } from '#browser/page/picture/full-page.ts';
import { arrive, onOneDocument } from '#browser/page/open/document.ts';
import { extract } from '#browser/page/extract/extract.ts';
import { navigate, throwIfFailed } from '#browser/page/open/navigate.ts';
import { createNotes } from '#browser/page/notes.ts';
import { prepareAtRest, type CaptureAtRest } from '#browser/page/open/page-at-rest.ts';
import type { Page } from '#browser/page/page.ts';
import { createCamera, isOfViewport, type Camera } from '#browser/page/picture/picture.ts';
import { wholePage, type Projection } from '#browser/page/picture/projection.ts';
import { print } from '#browser/page/print/print.ts';
import { settle } from '#browser/page/open/settle.ts';
import { openSource } from '#browser/page/open/source.ts';
import { setView } from '#browser/page/open/view.ts';
import { CdpError } from '#browser/process/cdp.ts';
import { createDeadline, pause, within, type Deadline } from '#browser/process/deadline.ts';
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

export interface Made {
  outputs: MadeOutput[];
  page: PageReceipt;
}

// With less time left than this, a second attempt would fail too.
const retryMs = 5_000;

/** Rejects with a RenderFailure. A page whose script waits for the clock gets a second attempt in real time. */
export async function renderPage(pages: Pages, task: Task, options: RenderOptions): Promise<Made> {
  const endsAt = performance.now() + options.leftMs;
  const attempt = async (inRealTime: boolean): Promise<Made> => {
    const deadline = createDeadline(task.timeoutMs, endsAt - performance.now(), options.signal);
    const opened: Page[] = [];
    /** Prepared for this render, which fails with it. */
    const openPage = async (): Promise<Page> => {
      const page = await pages.take(deadline.signal);
      opened.push(page);
      const fail = () => deadline.fail(page.fault.reason as RenderFailure);
      if (page.fault.aborted) fail();
      page.fault.addEventListener('abort', fail, { once: true });
      options.prepare(page);
      return page;
    };
    try {
      return await within(work(task, inRealTime, deadline, { ...options, openPage }), deadline.signal);
    } catch (error) {
      throw toRenderFailure(error, deadline.signal);
    } finally {
      deadline.end();
      for (const page of opened) options.discard(page);
    }
  };
  try {
    return await attempt(false);
  } catch (error) {
    // Real time has no calendar of the client's.
    const worksInRealTime = (error as RenderFailure).worksInRealTime && task.view.clock === null;
    if (!worksInRealTime || endsAt - performance.now() < retryMs) throw error;
    return await attempt(true);
  }
}

async function work(
  task: Task,
  inRealTime: boolean,
  deadline: Deadline,
  { begin, openPage }: Pick<RenderOptions & Attempt, 'begin' | 'openPage'>,
): Promise<Made> {
  const page = await openPage();
  if (inRealTime) page.clock.useRealTime();
  const attempt = { page, task, deadline, notes: createNotes(page, task), begin, openPage };
  await open(attempt);
  await waitAndChange(attempt);
  const { made, size } = await makeOutputs(attempt);
  const outputs = await compareOutputs(task, made);
  return { outputs, page: { ...(await attempt.notes.receipt(deadline.signal)), ...size } };
}

async function open({ page, task, deadline, begin }: Attempt): Promise<void> {
  begin('navigate');
  await Promise.all([setView(page, task.view), changePage(page, task.changes)]);
  const { clock } = task.view;
  if (clock !== null) await page.clock.beginAt(clock, deadline.signal);
  const url = await openSource(page, task, deadline.signal);
  await navigate(page, url, task.waits, deadline);
  begin('settle');
}

/** What happens between the load and the outputs, if the job has any of it. */
async function waitAndChange({ page, task, deadline, notes }: Attempt): Promise<void> {
  const { changes, waits } = task;
  const isChanged = changes.script !== null || waits.for.length > 0 || waits.delayMs > 0;
  if (changes.declineCookieBanners && changes.javascript) await declineCookieBanners(page, notes, deadline);
  else if (isChanged && waits.until === 'settled') await settle(page, deadline);
  await runScript(page, task, deadline);
  await waitFor(page, task, deadline);
  if (waits.delayMs > 0) await pause(waits.delayMs, deadline.signal);
  throwIfFailed(page);
}

async function makeOutputs(attempt: Attempt): Promise<{ made: MadeOutput[]; size: Viewport }> {
  const { page, task, deadline, notes } = attempt;
  const { changes, waits, outputs } = task;
  let atRest: CaptureAtRest | undefined;
  const arriveAndSettle = async () => {
    if (!waits.settles) return arrive(page, waits.until, deadline);
    await renewStyles(page, changes, deadline.signal);
    atRest = await prepareAtRest(page, deadline);
    if (!(await settle(page, deadline))) notes.warn(settleIncomplete);
  };
  const captured = await onOneDocument(page, deadline, arriveAndSettle, async () => {
    await renewStyles(page, changes, deadline.signal);
    await notes.throwIfUnwanted(deadline.signal);
    const results: MadeOutput[] = [];
    const described = outputs.find((output) => isPicture(output) && !output.printed);
    /** With the picture that the boxes are of: what comes before or after it may move the page. */
    const describe = async (picture: Output | undefined, project: () => Promise<Projection>) => {
      if (picture !== described) return;
      for (const [place, { format }] of outputs.entries())
        if (format === 'accessibility') results[place] = await readAccessibility(attempt, await project());
    };
    if (!described) await describe(undefined, async () => wholePage(attempt));
    const takePicture = createCamera(attempt, atRest, describe);
    for (const output of inOrder(outputs)) {
      if (output.format === 'accessibility') continue;
      results[outputs.indexOf(output)] = await makeOutput(attempt, output, takePicture);
    }
    // The document that the outputs show, with all that scrolling through it has loaded.
    const { width, height } = await extentOf(page, deadline.signal);
    return { made: results, size: { width, height } };
  });
  throwIfFailed(page);
  for (const { cut } of captured.made)
    if (cut !== null) notes.warn({ code: 'content_cut', message: cut, url: null });
  return captured;
}

const settleIncomplete: Warning = {
  code: 'settle_incomplete',
  message: 'the page was still waiting for requests when its time was over',
  url: null,
};

/** Extracts first, then what the viewport shows, because other pictures scroll the page; PDFs last, because printing lays it out anew. */
function inOrder(outputs: Output[]): Output[] {
  const place = (output: Output) => {
    if (isPicture(output)) return output.printed ? 3 : isOfViewport(output) ? 1 : 2;
    return output.format === 'pdf' ? 3 : 0;
  };
  return outputs.toSorted((a, b) => place(a) - place(b));
}

function makeOutput(
  attempt: Attempt,
  output: Exclude<Output, AccessibilityOutput>,
  takePicture: Camera,
): Promise<MadeOutput> {
  if (isPicture(output)) return takePicture(output);
  if (output.format === 'pdf') return print(attempt, output);
  return extract(attempt, output);
}

/** Whatever ended the render, the client gets one of the messages written here. */
function toRenderFailure(error: unknown, signal: AbortSignal): RenderFailure {
  if (error instanceof RenderFailure) return error;
  if (signal.reason instanceof RenderFailure) return signal.reason;
  const browserLost = error instanceof CdpError && error.connectionLost;
  return new RenderFailure('crashed', 'the browser could not render the page', { cause: error, browserLost });
}
