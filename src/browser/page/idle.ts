// Stretches without traffic, in real time. Network idle is what Puppeteer means by it: at most so many requests under
// way for 500 ms, from the parsed document on.
import { CdpError } from '#browser/process/cdp.ts';
import type { Page } from '#browser/page/page.ts';

const idleMs = 500;
const busyMs = 250;
// Requests that fell silent stop counting without an event.
const lookAgainMs = 1_000;

/** When the budget ends first but the page has loaded, what is there is good enough. */
export async function networkIdle(
  page: Page,
  mostInFlight: number,
  budget: AbortSignal,
  total: AbortSignal,
): Promise<void> {
  try {
    do await quiet(page, () => page.traffic.inFlight <= mostInFlight, idleMs, budget);
    while (await wasBusy(page, budget));
  } catch (error) {
    if (total.aborted || !budget.aborted || !page.mainFrame.loaded) throw error;
  }
}

/** A page that is at work cannot ask for anything meanwhile: on a busy machine a large script takes longer than the 500 ms. */
async function wasBusy({ session }: Page, signal: AbortSignal): Promise<boolean> {
  const askedAt = performance.now();
  await session.send('Runtime.evaluate', { expression: '1' }, signal).catch((error: unknown) => {
    // Its document is just being replaced.
    if (!(error instanceof CdpError) || error.connectionLost) throw error;
  });
  return performance.now() - askedAt >= busyMs;
}

/** Resolves when the traffic was calm, and the main frame stayed where it is, for so long. */
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
    const nextLookMs = calmSince === undefined ? lookAgainMs : windowMs - (now - calmSince);
    await changes.change(Math.ceil(nextLookMs), signal);
  }
}
