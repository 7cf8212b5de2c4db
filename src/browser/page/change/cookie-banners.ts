// Declines cookie banners, and never accepts them: what cannot be declined is left, with a warning. In the main frame only.
import { randomUUID } from 'node:crypto';
import type { Warning } from '#browser/browser.ts';
import { atMost } from '#browser/page/time/at-most.ts';
import { consentLibrary } from '#browser/page/change/consent-library.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { answerEvals, listenToConsent, type ConsentState } from '#browser/page/in-page/consent-tools.ts';
import { withinLimits } from '#browser/page/open/navigate.ts';
import type { Notes } from '#browser/page/notes.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { runAhead, settle } from '#browser/page/open/settle.ts';
import { shownEntry } from '#browser/page/shown-entry.ts';
import { checkMs, declineStepVirtualMs, declineVirtualMs } from '#browser/page/time/times.ts';
import type { Deadline } from '#browser/process/deadline.ts';

// Some sites load their page anew when a banner is declined.
const maxDocuments = 3;
const nothing: ConsentState = { isFound: false, isAtWork: false, isDeclined: false };

const bannerLeft: Warning = {
  code: 'cookie_banner_left',
  message: 'the page seems to have a cookie banner that could not be declined',
  url: null,
};

/** When the page has loaded. It has settled afterwards. */
export async function declineCookieBanners(page: Page, notes: Notes, deadline: Deadline): Promise<void> {
  for (let documents = 1; documents <= maxDocuments; documents += 1) {
    const shown = page.mainFrame.documents;
    // A page that is navigating to a server that does not answer accepts no commands.
    const world = await atMost(checkMs, deadline.signal, (signal) => startLibrary(page, signal));
    await settle(page, deadline);
    const stateNow = () => stateOf(page, world, deadline.signal);
    await untilDone(page, stateNow, deadline.signal);
    const { isFound, isDeclined } = await stateNow();
    if (page.mainFrame.documents !== shown || page.mainFrame.leaving) continue;
    if (isFound && !isDeclined) notes.warn(bannerLeft);
    return;
  }
}

/** Resolves to the world that it runs in; undefined if the document is being replaced. */
async function startLibrary(page: Page, signal: AbortSignal): Promise<number | undefined> {
  const { session, frameId } = page;
  const [library, { url }] = await Promise.all([consentLibrary(), shownEntry(page, signal)]);
  const key = randomUUID();
  const answering = `(${String(answerEvals)})(${JSON.stringify(key)}, ${library.snippets})`;
  const listening = callOf(listenToConsent, key, library.settingsFor(url));
  return await unlessReplaced(async () => {
    const world = { frameId, worldName: 'consent' };
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', world, signal);
    await session.send('Runtime.evaluate', { expression: answering }, signal);
    const expression = `${listening};${library.script}`;
    await session.send('Runtime.evaluate', { expression, contextId }, signal);
    return contextId;
  });
}

async function stateOf(
  { session }: Page,
  contextId: number | undefined,
  signal: AbortSignal,
): Promise<ConsentState> {
  if (contextId === undefined) return nothing;
  const asked = { expression: 'consent', contextId, returnByValue: true };
  const answer = await unlessReplaced(() => session.send('Runtime.evaluate', asked, signal));
  return (answer?.result.value as ConsentState | undefined) ?? nothing;
}

async function unlessReplaced<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    // Its document is being replaced.
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

async function untilDone(
  page: Page,
  stateNow: () => Promise<ConsentState>,
  whole: AbortSignal,
): Promise<void> {
  await withinLimits(whole, async (times) => {
    for (let grantedMs = 0; grantedMs < declineVirtualMs; grantedMs += declineStepVirtualMs) {
      if (!(await stateNow()).isAtWork) return;
      await runAhead(page, declineStepVirtualMs, times);
    }
  });
}
