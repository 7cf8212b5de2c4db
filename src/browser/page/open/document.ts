// Keeps a render on one document. A page may replace its document at any moment (a script, a refresh, a form that submits
// itself). Commands sent to the old document then fail or show half of each, and are sent again to the new one.
import { limits } from '#core/limits.ts';
import { RenderFailure } from '#browser/browser.ts';
import { pause, type Deadline } from '#browser/process/deadline.ts';
import { inTime } from '#browser/page/time/at-most.ts';
import { arrival, isLoad, withinLimits, type Until } from '#browser/page/open/navigate.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { noticeMs, parseMs } from '#browser/page/time/times.ts';

// A page that keeps navigating is captured where it is after this many attempts and the time of a settle. Attempts that fail
// because a document has just gone take milliseconds, so a limit on attempts only would end too early.
const minAttempts = 4;

/** Does `work` after `arrive`, and repeats both if the page replaced its document meanwhile. */
export async function onOneDocument<T>(
  page: Page,
  deadline: Deadline,
  arrive: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= minAttempts && performance.now() - startedAt > limits.settleMs;
    let shown = page.mainFrame.documents;
    const isReplaced = () => page.mainFrame.documents !== shown || page.mainFrame.leaving;
    try {
      await arrive();
      shown = page.mainFrame.documents;
      const result = await work();
      const isStill = page.mainFrame.documents === shown && !page.mainFrame.leaving;
      if (isStill || isLast) return result;
    } catch (error) {
      if (isLast || !isRefused(error)) throw error;
      await inTime(
        noticeMs,
        deadline.signal,
        () => error as Error,
        (signal) => page.changes.until(isReplaced, signal),
      );
    }
  }
}

/** Waits until a page that navigates by itself has arrived. If the next document does not come in time, the page stays where it is. */
export async function arrive(page: Page, until: Until, deadline: Deadline): Promise<void> {
  const { mainFrame } = page;
  if (!mainFrame.leaving && mainFrame.documents === 1) return;
  await withinLimits(deadline.signal, async (times) => {
    do await arrival(page, until, times);
    while (mainFrame.leaving || !(await isRead(page, until, times.network)));
  });
  await stay(page, deadline);
}

/** The load event of the previous document can be reported after the new document, which is then empty or lacks its images. */
async function isRead(page: Page, until: Until, signal: AbortSignal): Promise<boolean> {
  // Cut, because a page may define it as a string of any length.
  const expression = 'String(document.readyState).slice(0, 12)';
  const { result } = await page.session.send('Runtime.evaluate', { expression }, signal);
  if (result.value === 'complete' || (result.value === 'interactive' && !isLoad(until))) return true;
  await pause(parseMs, signal);
  return false;
}

/** A page that is navigating to a server that does not answer accepts no commands, so its navigation is stopped. */
export async function stay(page: Page, deadline: Deadline): Promise<void> {
  if (!page.mainFrame.leaving) return;
  await page.session.send('Page.stopLoading', undefined, deadline.signal).catch((error: unknown) => {
    // Or it has arrived at this very moment, and there is nothing left to stop.
    if (!isRefusal(error)) throw error;
  });
}

/** The browser is running and refused the command; also if that was one of printing. */
function isRefused(error: unknown): boolean {
  return isRefusal(error instanceof RenderFailure && error.reason === 'unprintable' ? error.cause : error);
}
