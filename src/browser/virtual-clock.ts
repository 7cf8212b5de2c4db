// The page's clock: virtual time that jumps from timer to timer, and never falls behind real time. Design section 5
// (settle in virtual time). A page whose clock stands still while the wall clock passes it draws no more frames, and
// every capture of it hangs: so from its first use on the clock is kept ahead.
import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from '#browser/cdp.ts';
import type { Watch } from '#browser/watch.ts';

export interface VirtualClock {
  /**
   * Lets so much virtual time pass; it stands still while requests are under way. Ends early, without an error, when
   * `isEnough` says so.
   */
  runAhead(budgetMs: number, isEnough: () => boolean, signal: AbortSignal): Promise<void>;
  stop(): void;
}

const aheadMs = 2_000;
const lookMs = 100;

export function createVirtualClock(session: CdpSession, changes: Watch, lifetime: AbortSignal): VirtualClock {
  let startedAt = 0;
  let passedMs = 0;
  let isRunning = false;
  let isOver = false;
  let keeper: NodeJS.Timeout | undefined;

  session.on('Emulation.virtualTimeBudgetExpired', () => {
    isOver = true;
    changes.notify();
  });

  async function grant(
    policy: Protocol.Emulation.VirtualTimePolicy,
    budget: number,
    isEnough: () => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    isRunning = true;
    try {
      // The starvation count keeps a page of endless tasks from stopping its own clock.
      const request = { policy, budget, maxVirtualTimeTaskStarvationCount: 1000 };
      await session.send('Emulation.setVirtualTimePolicy', request, signal);
      // An end that was told before this answer is that of an earlier grant.
      isOver = false;
      while (!isOver && !isEnough()) await changes.change(lookMs, signal);
      if (isOver) passedMs += budget;
    } finally {
      isRunning = false;
      changes.notify();
    }
  }

  async function keepAhead(): Promise<void> {
    const missingMs = performance.now() - startedAt + aheadMs - passedMs;
    if (isRunning || missingMs <= 0) return;
    // Requests that never end would stop the other kind of time. A page that is stuck does not answer, and is let be.
    await grant('advance', missingMs, () => false, lifetime).catch(() => {});
  }

  return {
    async runAhead(budgetMs, isEnough, signal) {
      if (keeper === undefined) {
        startedAt = performance.now();
        keeper = setInterval(() => void keepAhead(), lookMs).unref();
      }
      await changes.until(() => !isRunning, signal);
      try {
        await grant('pauseIfNetworkFetchesPending', budgetMs, isEnough, signal);
      } finally {
        void keepAhead();
      }
    },
    stop() {
      clearInterval(keeper);
    },
  };
}
