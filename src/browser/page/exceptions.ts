// The exceptions that no script of a page caught. The browser keeps the last thousand messages of a document, and reports them all to a
// session that asks late: so they cost nothing while the page loads, and only one command in the end.
import { atMost } from '#browser/page/time/at-most.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { thrownText } from '#browser/page/thrown-text.ts';
import { noticeMs } from '#browser/page/time/times.ts';

interface UncaughtException {
  text: string;
  /** The address of the script; may be empty. */
  url: string;
}

// As many as a receipt has.
const maxKept = 50;

/** Resolves to those so far. A page that does not answer has none. */
export function createExceptions({ session }: Page): (whole: AbortSignal) => Promise<UncaughtException[]> {
  const kept: UncaughtException[] = [];
  let isAsked = false;

  return async (whole) => {
    if (!isAsked) {
      isAsked = true;
      session.on('Runtime.exceptionThrown', ({ exceptionDetails }) => {
        if (kept.length < maxKept)
          kept.push({ text: thrownText(exceptionDetails), url: exceptionDetails.url ?? '' });
      });
    }
    // Again and again, because what was thrown a moment ago may not have been reported yet.
    await atMost(noticeMs, whole, (signal) => session.send('Runtime.enable', undefined, signal)).catch(
      (error: unknown) => {
        if (!isRefusal(error)) throw error;
      },
    );
    return kept;
  };
}
