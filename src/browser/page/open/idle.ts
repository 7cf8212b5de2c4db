// Periods without traffic, in real time. Network idle is defined as in Puppeteer: at most a given number of requests under way
// for 500 ms, counted from the parsed document on.
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { busyMs, networkIdleMs, pollMs } from '#browser/page/time/times.ts';

/** If the budget ends first but the page has loaded, the page is used as it is. */
export async function networkIdle(
  page: Page,
  maxInFlight: number,
  budget: AbortSignal,
  total: AbortSignal,
): Promise<void> {
  try {
    do await quiet(page, () => page.traffic.inFlight <= maxInFlight, networkIdleMs, budget);
    while (await wasBusy(page, budget));
  } catch (error) {
    if (total.aborted || !budget.aborted || !page.mainFrame.loaded) throw error;
  }
}

/** A busy page cannot send requests meanwhile: on a busy machine a large script takes longer than the 500 ms. */
async function wasBusy({ session }: Page, signal: AbortSignal): Promise<boolean> {
  const askedAt = performance.now();
  await session.send('Runtime.evaluate', { expression: '1' }, signal).catch((error: unknown) => {
    // Its document is being replaced.
    if (!isRefusal(error)) throw error;
  });
  return performance.now() - askedAt >= busyMs;
}

/** Resolves when the traffic was calm, and the main frame stayed where it is, for the given time. */
export async function quiet(
  page: Page,
  isCalm: () => boolean,
  windowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { mainFrame, changes } = page;
  let calmSince: number | undefined;
  for (;;) {
    if (mainFrame.failure) return;
    const now = performance.now();
    if (!isCalm() || mainFrame.leaving || !mainFrame.domReady) calmSince = undefined;
    else calmSince ??= now;
    if (calmSince !== undefined && now - calmSince >= windowMs) return;
    // Requests that fell silent stop counting, without an event.
    const nextMs = calmSince === undefined ? pollMs : windowMs - (now - calmSince);
    await changes.change(Math.ceil(nextMs), signal);
  }
}
