// Keeps a render on one document. A page may replace its document at any moment (a script, a refresh, a form that submits
// itself). Commands sent to the old document then fail or show half of each, and are sent again to the new one.
import { limits } from '#core/limits.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { WaitUntil } from '#browser/browser.ts';
import { CdpError } from '#browser/process/cdp.ts';
import { pause, type Deadline } from '#browser/process/deadline.ts';
import { arrival } from '#browser/page/navigate.ts';
import type { Page } from '#browser/page/page.ts';

// A page that keeps navigating is captured where it is after this many attempts and the time of a settle. Attempts that fail
// because a document has just gone take milliseconds, so a limit on attempts only would end too early.
const fewestAttempts = 4;
// The browser may refuse a command a moment before it reports the new document.
const noticeMs = 500;
const parseMs = 20;
/** A page that works without end would never reach the end of its time. */
export const workMs = 10_000;

/** Does `work` after `arrive`, and repeats both if the page replaced its document meanwhile. */
export async function onOneDocument<T>(
  page: Page,
  deadline: Deadline,
  arrive: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= fewestAttempts && performance.now() - startedAt > limits.settleMs;
    let shown = page.mainFrame.documents;
    const isReplaced = () => page.mainFrame.documents !== shown || page.mainFrame.leaving;
    try {
      await arrive();
      shown = page.mainFrame.documents;
      const result = await work();
      const isStill = page.mainFrame.documents === shown && !page.mainFrame.leaving;
      if (isStill || isLast) return result;
    } catch (error) {
      if (isLast || !isRefusal(error)) throw error;
      if (!(await soon(page, isReplaced, deadline))) throw error;
    }
  }
}

/** Waits until a page that navigates by itself has arrived. If the next document does not come in time, the page stays where it is. */
export async function arrive(page: Page, waitUntil: WaitUntil, deadline: Deadline): Promise<void> {
  const { mainFrame } = page;
  if (!mainFrame.leaving && mainFrame.documents === 1) return;
  const late = new Error('it did not come in time');
  const network = deadline.phase(limits.settleMs, () => late);
  const work = deadline.phase(workMs, () => late);
  const patience = { network: network.signal, work: work.signal };
  try {
    do await arrival(page, waitUntil, patience);
    while (mainFrame.leaving || !(await isRead(page, waitUntil, network.signal)));
  } catch (error) {
    if (error !== late) throw error;
    await stay(page, deadline);
  } finally {
    network.end();
    work.end();
  }
}

/** The load event of the previous document can be reported after the new document, which is then empty or lacks its images. */
async function isRead(page: Page, waitUntil: WaitUntil, signal: AbortSignal): Promise<boolean> {
  // Cut, because a page may define it as a string of any length.
  const expression = 'String(document.readyState).slice(0, 12)';
  const { result } = await page.session.send('Runtime.evaluate', { expression }, signal);
  if (result.value === 'complete' || (result.value === 'interactive' && waitUntil !== 'load')) return true;
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

async function soon(page: Page, condition: () => boolean, deadline: Deadline): Promise<boolean> {
  const late = new Error('it does not hold');
  const phase = deadline.phase(noticeMs, () => late);
  try {
    await page.changes.until(condition, phase.signal);
    return true;
  } catch (error) {
    if (error !== late) throw error;
    return false;
  } finally {
    phase.end();
  }
}

/** The browser is running and refused the command, as it does when a document goes away during it. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof RenderFailure && error.reason === 'unprintable' ? error.cause : error;
  return cause instanceof CdpError && !cause.connectionLost;
}
