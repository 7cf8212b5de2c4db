// What the client changes in a page: styles from its first paint on, scripts or none, and a script of its own once the page is there.
import { RenderFailure } from '#browser/browser.ts';
import type { PageChanges, Task } from '#browser/job.ts';
import { atMost, inTime } from '#browser/page/time/at-most.ts';
import { adoptStyles } from '#browser/page/in-page/adopt-styles.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { followNavigation } from '#browser/page/open/navigate.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { whileTimeRuns } from '#browser/page/open/page-time.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { thrownText } from '#browser/page/thrown-text.ts';
import { answerFailureMs, firstFrameMs, noticeMs } from '#browser/page/time/times.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { Deadline } from '#browser/process/deadline.ts';

const worldName = 'styles';

/**
 * Before the page is opened. Resolves when the browser knows the changes, because the process that shows the page is told only what was
 * known when it began: a document might otherwise begin with scripts and have them taken away while it is parsed.
 */
export async function changePage({ session, prepareChildren }: Page, changes: PageChanges): Promise<void> {
  const sent: Promise<unknown>[] = [];
  if (!changes.javascript) {
    sent.push(disableScripts(session));
    prepareChildren((child, { type }) => {
      if (type === 'iframe') ignore(disableScripts(child));
    });
  }
  if (hasStyles(changes)) {
    const source = stylesOf(changes);
    sent.push(session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName }));
  }
  await Promise.all(sent);
}

/** Our own worlds still run, but without timers and without scripts at the start of a document. */
const disableScripts = (session: CdpSession): Promise<unknown> =>
  session.send('Emulation.setScriptExecutionDisabled', { value: true });

const hasStyles = ({ css, hide }: PageChanges): boolean => css !== null || hide.length > 0;
const stylesOf = ({ css, hide }: PageChanges): string => callOf(adoptStyles, css ?? '', hide);

/** If the page has dropped the styles, or they could not be there from the start because scripts are off. */
export async function renewStyles(page: Page, changes: PageChanges, whole: AbortSignal): Promise<void> {
  if (!hasStyles(changes)) return;
  const { session, frameId } = page;
  // A page that is navigating to a server that does not answer accepts no commands.
  await atMost(firstFrameMs, whole, async (signal) => {
    const world = await session.send('Page.createIsolatedWorld', { frameId, worldName }, signal);
    const contextId = world.executionContextId;
    await session.send('Runtime.evaluate', { expression: stylesOf(changes), contextId }, signal);
  }).catch((error: unknown) => {
    // Its document is being replaced.
    if (!isRefusal(error)) throw error;
  });
}

/** Runs the body of an async function in the page. If that navigates, the next document is awaited as the first one was. */
export async function runScript(
  page: Page,
  { changes: { script }, waits }: Task,
  deadline: Deadline,
): Promise<void> {
  if (script === null) return;
  const failed = (words: string, cause?: unknown) =>
    new RenderFailure('script_error', `the script ${words}`, { field: 'script', cause });
  const shown = page.mainFrame.documents;
  const hasLeft = () => page.mainFrame.leaving || page.mainFrame.documents !== shown;
  const late = () => failed('did not end within timeout_ms');
  await inTime(deadline.leftMs() - answerFailureMs, deadline.signal, late, async (signal) => {
    try {
      const { exceptionDetails } = await whileTimeRuns(page, signal, () =>
        page.session.send('Runtime.evaluate', callOfBody(script), signal),
      );
      if (exceptionDetails) throw failed(`failed: ${thrownText(exceptionDetails)}`);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // It has replaced its own document; the browser may say so a moment later.
      await inTime(
        noticeMs,
        signal,
        () => failed('did not end', error),
        (until) => page.changes.until(hasLeft, until),
      );
    }
  });
  if (hasLeft()) await followNavigation(page, waits, deadline);
}

/** What the body returns stays in the page. */
const callOfBody = (body: string) => ({
  expression: `(async () => { await (async () => {\n${body}\n})(); })()`,
  awaitPromise: true,
  userGesture: true,
});
