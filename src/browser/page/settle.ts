// After the load event the page gets three seconds of its own time to finish its work. Spec 4.3 (network settle). Timers run
// ahead of the clock. While requests are under way the page's time stands still, for at most three seconds of real time in all;
// then it continues without them. So on a busy machine a page may miss a slow response, but never a timer.
import { limits } from '#core/limits.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { stay, workMs } from '#browser/page/document.ts';
import { quiet } from '#browser/page/idle.ts';
import { arrival, throwIfFailed, type Patience } from '#browser/page/navigate.ts';
import type { Page } from '#browser/page/page.ts';

const mostDocuments = 10;
// Workers run in real time: messages that they post soon after they start are waited for.
const workerQuietMs = 250;
const afterWorkersMs = 500;

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
      // The page has navigated by itself (a refresh, a script): the document where it arrives is the one to show.
      await arrival(page, 'load', patience);
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

/** Advances virtual time, past requests that do not end, until it is used up or the page navigates. */
export function runAhead(page: Page, budgetMs: number, { network, work }: Patience): Promise<void> {
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
