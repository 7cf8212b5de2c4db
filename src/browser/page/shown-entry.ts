// What the browser, not the page, says of the document that is shown: a page could say anything, and does not answer while it is busy.
import { atMost } from '#browser/page/time/at-most.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { noticeMs } from '#browser/page/time/times.ts';

/** Empty between two documents. */
export async function shownEntry(
  { session }: Page,
  whole: AbortSignal,
): Promise<{ url: string; title: string }> {
  const nothing = { url: '', title: '' };
  try {
    const history = await atMost(noticeMs, whole, (signal) =>
      session.send('Page.getNavigationHistory', undefined, signal),
    );
    return history?.entries[history.currentIndex] ?? nothing;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return nothing;
  }
}
