// After the load event the page gets three seconds of its own time to finish its work. Spec 4.3 (network settle). Timers run
// ahead of the clock. While requests are under way the page's time stands still, for at most three seconds of real time in all;
// then it continues without them. So on a busy machine a page may miss a slow response, but never a timer.
import { limits } from '#core/limits.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { stay } from '#browser/page/open/document.ts';
import { quiet } from '#browser/page/open/idle.ts';
import { arrival, throwIfFailed, withinLimits, type TimeLimits } from '#browser/page/open/navigate.ts';
import type { Page } from '#browser/page/page.ts';
import { afterWorkersVirtualMs, workerQuietMs } from '#browser/page/time/times.ts';

const maxDocuments = 10;

/** Resolves to false if requests were not awaited to their end, because they took too long. */
export async function settle(
  page: Page,
  deadline: Deadline,
  virtualMs: number = limits.settleMs,
): Promise<boolean> {
  let isOutOfTime = true;
  await withinLimits(deadline.signal, async (times) => {
    for (let documents = 0; documents < maxDocuments; documents += 1) {
      const shown = page.mainFrame.documents;
      await settleDocument(page, virtualMs, times);
      if (page.mainFrame.documents === shown && !page.mainFrame.leaving) break;
      // The page has navigated by itself (a refresh, a script): the document where it arrives is the one to show.
      await arrival(page, 'load', times);
    }
    isOutOfTime = times.network.aborted;
  });
  const { awaited, isUnfinished } = page.traffic;
  await stay(page, deadline);
  throwIfFailed(page);
  return !isUnfinished && !(isOutOfTime && awaited > 0);
}

async function settleDocument(page: Page, virtualMs: number, times: TimeLimits): Promise<void> {
  const { traffic } = page;
  const isCalm = () => traffic.awaited === 0;
  const workersBefore = traffic.workers;
  const calm = () =>
    quiet(page, isCalm, workerQuietMs, times.network).catch((error: unknown) => {
      if (!times.network.aborted || times.work.aborted) throw error;
    });
  if (workersBefore > 0) await calm();
  await runAhead(page, virtualMs, times);
  if (traffic.workers === workersBefore && (workersBefore === 0 || isCalm())) return;
  await calm();
  await runAhead(page, afterWorkersVirtualMs, times);
}

/** Advances virtual time, past requests that do not end, until it is used up or the page navigates. */
export function runAhead(page: Page, budgetMs: number, { network, work }: TimeLimits): Promise<void> {
  const { mainFrame, traffic } = page;
  const shown = mainFrame.documents;
  return page.clock.runAhead(
    budgetMs,
    {
      isOver: () => mainFrame.leaving || mainFrame.failure !== undefined || mainFrame.documents !== shown,
      isStuck: () => network.aborted || (traffic.inFlight > 0 && traffic.awaited === 0),
    },
    work,
  );
}
