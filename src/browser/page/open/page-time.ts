// Lets the time of a page run while something in it is awaited: a script of the client, a condition. Each document gets three seconds
// at once, as in a settle; from then on its time passes as fast as real time, so that no timer fires long before a slow answer.
import { limits } from '#core/limits.ts';
import { pause } from '#browser/process/deadline.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { runAhead } from '#browser/page/open/settle.ts';
import { pollMs } from '#browser/page/time/times.ts';

/** `work` must end when the signal aborts. */
export async function whileTimeRuns<T>(page: Page, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const running = run(page, AbortSignal.any([signal, done.signal])).catch(() => {});
  try {
    return await work();
  } finally {
    done.abort();
    // Two settles at once would disturb each other.
    await running;
  }
}

async function run(page: Page, signal: AbortSignal): Promise<void> {
  const { mainFrame } = page;
  const network = AbortSignal.timeout(limits.settleMs);
  let ranAt = performance.now();
  let settled: number | undefined;
  while (!signal.aborted) {
    const { documents } = mainFrame;
    const isNew = mainFrame.loaded && documents !== settled;
    const now = performance.now();
    await runAhead(page, isNew ? limits.settleMs : now - ranAt, { network, work: signal }).catch(
      (error: unknown) => {
        // Its document is being replaced.
        if (!isRefusal(error)) throw error;
      },
    );
    if (isNew) settled = documents;
    ranAt = now;
    await pause(pollMs, signal);
  }
}
