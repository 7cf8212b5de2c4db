// After the load event: up to three seconds in which a page finishes what it is at. Spec 4.3 (network settle), design
// section 5 (settle in virtual time): timers run ahead of the clock, requests are waited for.
import { limits } from '#core/limits.ts';
import { CdpError } from '#browser/process/cdp.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { quiet } from '#browser/page/idle.ts';
import { ready, throwIfFailed } from '#browser/page/navigate.ts';
import type { Page } from '#browser/page/page.ts';

const mostDocuments = 10;
// Workers keep real time: what they post soon after they start is waited for.
const workerQuietMs = 250;
const afterWorkersMs = 500;

export async function settle(
  page: Page,
  deadline: Deadline,
  virtualMs: number = limits.settleMs,
): Promise<void> {
  const outOfTime = new Error('settled as far as it goes');
  const cap = deadline.phase(limits.settleMs, () => outOfTime);
  try {
    for (let documents = 0; documents < mostDocuments; documents += 1) {
      const shown = page.mainFrame.documents;
      await settleDocument(page, virtualMs, cap.signal);
      if (page.mainFrame.documents === shown && !page.mainFrame.leaving) break;
      // The page has gone elsewhere by itself (a refresh, a script): what it comes to is what is shown.
      await page.changes.until(() => !page.mainFrame.leaving, cap.signal);
      await ready(page, 'load', cap.signal);
    }
  } catch (error) {
    if (error !== outOfTime) throw error;
  } finally {
    cap.end();
  }
  // A page on its way to a server that does not answer takes no more commands: it stays where it is.
  if (page.mainFrame.leaving) {
    await page.session.send('Page.stopLoading', undefined, deadline.signal).catch((error: unknown) => {
      // Or it has arrived after all at this very moment, and there is nothing left to stop.
      if (!(error instanceof CdpError) || error.connectionLost) throw error;
    });
  }
  throwIfFailed(page);
}

async function settleDocument(page: Page, virtualMs: number, signal: AbortSignal): Promise<void> {
  const { traffic } = page;
  const isCalm = () => traffic.awaited === 0;
  const workersBefore = traffic.workers;
  if (workersBefore > 0) await quiet(page, isCalm, workerQuietMs, signal);
  await runAhead(page, virtualMs, signal);
  if (traffic.workers === workersBefore && (workersBefore === 0 || isCalm())) return;
  await quiet(page, isCalm, workerQuietMs, signal);
  await runAhead(page, afterWorkersMs, signal);
}

/** Lets virtual time pass until it is used up, the page goes elsewhere, or only long polls hold it up. */
export function runAhead(page: Page, budgetMs: number, signal: AbortSignal): Promise<void> {
  const { mainFrame, traffic } = page;
  const shown = mainFrame.documents;
  const isEnough = () =>
    mainFrame.leaving ||
    mainFrame.failure !== undefined ||
    mainFrame.documents !== shown ||
    (traffic.inFlight > 0 && traffic.awaited === 0);
  return page.clock.runAhead(budgetMs, isEnough, signal);
}
