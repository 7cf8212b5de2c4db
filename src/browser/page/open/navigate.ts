// Opens a URL in a page and waits until it is ready, within the navigation budget. Spec 4.3, 4.4 (behavior).
import { RenderFailure } from '#browser/browser.ts';
import type { Waits } from '#browser/job.ts';
import { limits } from '#core/limits.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { atMost, inTime } from '#browser/page/time/at-most.ts';
import { networkIdle } from '#browser/page/open/idle.ts';
import type { Page } from '#browser/page/page.ts';
import { workMs } from '#browser/page/time/times.ts';

type LoadWaits = Pick<Waits, 'until' | 'navigationMs'>;

export async function navigate(page: Page, url: string, waits: LoadWaits, deadline: Deadline): Promise<void> {
  await load(page, waits, deadline, (signal) => open(page, url, signal));
}

/** Waits for the document to which a script of the client has navigated, as for the first one. */
export async function followNavigation(page: Page, waits: LoadWaits, deadline: Deadline): Promise<void> {
  await load(page, waits, deadline, (signal) => page.changes.until(() => !page.mainFrame.leaving, signal));
}

async function load(
  page: Page,
  { until, navigationMs }: LoadWaits,
  deadline: Deadline,
  begin: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = () => new RenderFailure('timed_out', `the page did not load within ${navigationMs / 1000} s`);
  await inTime(navigationMs, deadline.signal, late, async (signal) => {
    await begin(signal);
    await ready(page, until, signal);
    if (until === 'networkidle0' || until === 'networkidle2')
      await networkIdle(page, until === 'networkidle0' ? 0 : 2, signal, deadline.signal);
    throwIfFailed(page);
  });
}

export type Until = Waits['until'];

/** Whether a document is there only with its load event. */
export const isLoad = (until: Until): boolean => until === 'load' || until === 'settled';

/** A limit for the network, and a longer one for the browser, which may be slow to show what has already arrived. */
export interface TimeLimits {
  /** Aborts when the wait for requests is over. */
  network: AbortSignal;
  /** Ends the whole. */
  work: AbortSignal;
}

/** Those of a settle. What is not done by then is left as it is. */
export async function withinLimits(
  whole: AbortSignal,
  task: (times: TimeLimits) => Promise<void>,
): Promise<void> {
  await atMost(workMs, whole, (work) => atMost(limits.settleMs, work, (network) => task({ network, work })));
}

/** Waits for the document to which a page navigates by itself. */
export async function arrival(page: Page, until: Until, { network, work }: TimeLimits): Promise<void> {
  const { mainFrame, traffic } = page;
  await page.changes.until(() => !mainFrame.leaving || mainFrame.arriving, network);
  await page.changes.until(() => !mainFrame.leaving, work);
  try {
    await ready(page, until, network);
  } catch (error) {
    if (error !== network.reason || traffic.awaited > 0) throw error;
    await ready(page, until, work);
  }
}

async function ready(page: Page, until: Until, signal: AbortSignal): Promise<void> {
  const { mainFrame } = page;
  const isReady = () => (isLoad(until) ? mainFrame.loaded : mainFrame.domReady);
  await page.changes.until(() => isReady() || mainFrame.failure !== undefined, signal);
  throwIfFailed(page);
}

export function throwIfFailed({ mainFrame }: Page): void {
  if (mainFrame.failure) throw mainFrame.failure;
}

async function open(page: Page, url: string, signal: AbortSignal): Promise<void> {
  // `file:`, `view-source:` and `javascript:` would work here, and show files of this machine.
  if (!/^https?:$/.test(new URL(url).protocol))
    throw new RenderFailure('denied', 'only http and https are opened');
  // If the server never answers, this call does not return either: the signal ends it.
  const answer = await page.session.send('Page.navigate', { url }, signal);
  if (answer.errorText === 'net::ERR_ABORTED') {
    // A dead page process gives the same error; it is recognised by not answering.
    await page.session.send('Runtime.evaluate', { expression: '1' }, signal);
    // A capture would succeed anyway, and show a blank page.
    throw answer.isDownload === true
      ? new RenderFailure('download', 'the address answers with a file to download, not with a page')
      : new RenderFailure('no_content', 'the address answers without a page');
  }
  if (answer.errorText === undefined) return;
  const failure = page.mainFrame.failure ?? page.failures.ofError(answer.errorText, url);
  if (failure) throw failure;
}
