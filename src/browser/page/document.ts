// Keeps a render on one document. A page may replace its document at any moment (a script, a refresh, a form that sends
// itself); what was asked of the old one then fails or shows half of each, and is asked again of the new one.
import { limits } from '#core/limits.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { WaitUntil } from '#browser/browser.ts';
import { CdpError } from '#browser/process/cdp.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { ready } from '#browser/page/navigate.ts';
import type { Page } from '#browser/page/page.ts';

// A page that goes on and on is shown where it is by then.
const attempts = 4;
// The browser may refuse a command a moment before it tells of the new document.
const noticeMs = 500;

/** Does `work` when `arrive` is done, and both again if the page replaced its document meanwhile. */
export async function onOneDocument<T>(
  page: Page,
  deadline: Deadline,
  arrive: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let shown = page.mainFrame.documents;
    const isReplaced = () => page.mainFrame.documents !== shown || page.mainFrame.leaving;
    try {
      await arrive();
      shown = page.mainFrame.documents;
      const result = await work();
      const isStill = page.mainFrame.documents === shown && !page.mainFrame.leaving;
      if (isStill || attempt === attempts) return result;
    } catch (error) {
      if (attempt === attempts || !isRefusal(error)) throw error;
      if (!(await soon(page, isReplaced, deadline))) throw error;
    }
  }
}

/** Waits for the document that the page is on its way to. If it does not come in time, the page stays where it is. */
export async function arrive(page: Page, waitUntil: WaitUntil, deadline: Deadline): Promise<void> {
  if (!page.mainFrame.leaving) return;
  const late = new Error('it did not come in time');
  const phase = deadline.phase(limits.settleMs, () => late);
  try {
    await page.changes.until(() => !page.mainFrame.leaving, phase.signal);
    await ready(page, waitUntil, phase.signal);
  } catch (error) {
    if (error !== late) throw error;
    await stay(page, deadline);
  } finally {
    phase.end();
  }
}

/** A page on its way to a server that does not answer takes no more commands, so it is kept where it is. */
export async function stay(page: Page, deadline: Deadline): Promise<void> {
  if (!page.mainFrame.leaving) return;
  await page.session.send('Page.stopLoading', undefined, deadline.signal).catch((error: unknown) => {
    // Or it has arrived after all at this very moment, and there is nothing left to stop.
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

/** The browser is there and refused, as it does when a document goes away under a command. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof RenderFailure && error.reason === 'unprintable' ? error.cause : error;
  return cause instanceof CdpError && !cause.connectionLost;
}
