// After the load event: three seconds of the page's own time, in which it finishes what it is at. Spec 4.3 (network settle).
// Timers run ahead of the clock. While requests are under way the page's time stands still, for at most three seconds of
// real time in all; then it goes on without them. So a busy machine can cost a page a slow answer, but never a timer.
import { limits } from '#core/limits.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { stay } from '#browser/page/document.ts';
import { quiet } from '#browser/page/idle.ts';
import { ready, throwIfFailed } from '#browser/page/navigate.ts';
import type { Page } from '#browser/page/page.ts';

const mostDocuments = 10;
// Workers keep real time: what they post soon after they start is waited for.
const workerQuietMs = 250;
const afterWorkersMs = 500;
// A page that works without end would never get to the end of its time.
const workMs = 10_000;

/** How long requests are waited for, and how long the page may work. */
export interface Patience {
  /** Aborts when requests are no longer waited for. */
  network: AbortSignal;
  /** Ends the settling. */
  work: AbortSignal;
}

export async function settle(
  page: Page,
  deadline: Deadline,
  virtualMs: number = limits.settleMs,
): Promise<void> {
  const outOfTime = new Error('settled as far as it goes');
  const network = deadline.phase(limits.settleMs, () => outOfTime);
  const work = deadline.phase(workMs, () => outOfTime);
  const patience = { network: network.signal, work: work.signal };
  try {
    for (let documents = 0; documents < mostDocuments; documents += 1) {
      const shown = page.mainFrame.documents;
      await settleDocument(page, virtualMs, patience);
      if (page.mainFrame.documents === shown && !page.mainFrame.leaving) break;
      // The page has gone elsewhere by itself (a refresh, a script): what it comes to is what is shown.
      await page.changes.until(() => !page.mainFrame.leaving, network.signal);
      await ready(page, 'load', network.signal);
    }
  } catch (error) {
    if (error !== outOfTime) throw error;
  } finally {
    network.end();
    work.end();
  }
  await stay(page, deadline);
  throwIfFailed(page);
}

async function settleDocument(page: Page, virtualMs: number, patience: Patience): Promise<void> {
  const { traffic } = page;
  const isCalm = () => traffic.awaited === 0;
  const workersBefore = traffic.workers;
  const calm = () =>
    quiet(page, isCalm, workerQuietMs, patience.network).catch((error: unknown) => {
      if (!patience.network.aborted || patience.work.aborted) throw error;
    });
  if (workersBefore > 0) await calm();
  await runAhead(page, virtualMs, patience);
  if (traffic.workers === workersBefore && (workersBefore === 0 || isCalm())) return;
  await calm();
  await runAhead(page, afterWorkersMs, patience);
}

/** Lets virtual time pass, past requests that do not end, until it is used up or the page goes elsewhere. */
export function runAhead(page: Page, budgetMs: number, { network, work }: Patience): Promise<void> {
  const { mainFrame, traffic } = page;
  const shown = mainFrame.documents;
  return page.clock.runAhead(
    budgetMs,
    {
      isOver: () => mainFrame.leaving || mainFrame.failure !== undefined || mainFrame.documents !== shown,
      isStuck: () => network.aborted || (traffic.inFlight > 0 && traffic.awaited === 0),
      isWaiting: () => !network.aborted && traffic.awaited > 0,
    },
    work,
  );
}
