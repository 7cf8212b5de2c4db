// The page's clock: virtual time that jumps from timer to timer, in the page and in its cross-site frames, and never
// falls behind real time. Design section 5 (settle in virtual time). A page whose clock stands still while the wall
// clock passes it draws no more frames, and every capture of it hangs: so from its first use on it is kept ahead.
import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { Watch } from '#browser/page/watch.ts';

export interface VirtualClock {
  /** A cross-site frame has a process, and so a clock, of its own. */
  join(session: CdpSession): void;
  leave(session: CdpSession): void;
  /**
   * Lets so much virtual time pass; it stands still while requests are under way. Ends early, without an error, when
   * `isEnough` says so.
   */
  runAhead(budgetMs: number, isEnough: () => boolean, signal: AbortSignal): Promise<void>;
  stop(): void;
}

const aheadMs = 2_000;
const lookMs = 100;

export function createVirtualClock(changes: Watch, lifetime: AbortSignal): VirtualClock {
  const running = new Map<CdpSession, boolean>();
  let startedAt = 0;
  let passedMs = 0;
  let turn = 0;
  let isGranting = false;
  let isStopped = false;
  let keeper: NodeJS.Timeout | undefined;

  /** A new grant takes the place of one that is still under way. */
  async function grant(
    policy: Protocol.Emulation.VirtualTimePolicy,
    budget: number,
    isEnough: () => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const mine = (turn += 1);
    const isMine = () => mine === turn;
    isGranting = true;
    try {
      // The starvation count keeps a page of endless tasks from stopping its own clock.
      const request = { policy, budget, maxVirtualTimeTaskStarvationCount: 1000 };
      await Promise.all(
        Array.from(running.keys(), async (session) => {
          await session.send('Emulation.setVirtualTimePolicy', request, signal);
          // An end that was told before this answer is that of an earlier grant.
          if (running.has(session)) running.set(session, true);
        }),
      );
      const isOver = () => !running.values().some(Boolean);
      while (isMine() && !isOver() && !isEnough()) await changes.change(lookMs, signal);
      if (isMine() && isOver()) passedMs += budget;
    } finally {
      if (isMine()) isGranting = false;
    }
  }

  async function keepAhead(): Promise<void> {
    const missingMs = performance.now() - startedAt + aheadMs - passedMs;
    if (isStopped || isGranting || missingMs <= 0) return;
    // Requests that never end would stop the other kind of time. A page that is stuck does not answer, and is let be.
    await grant('advance', missingMs, () => false, lifetime).catch(() => {});
  }

  return {
    join(session) {
      running.set(session, false);
      session.on('Emulation.virtualTimeBudgetExpired', () => {
        running.set(session, false);
        changes.notify();
      });
    },
    leave(session) {
      running.delete(session);
      changes.notify();
    },
    async runAhead(budgetMs, isEnough, signal) {
      if (keeper === undefined) {
        startedAt = performance.now();
        keeper = setInterval(() => void keepAhead(), lookMs).unref();
      }
      try {
        await grant('pauseIfNetworkFetchesPending', budgetMs, isEnough, signal);
      } finally {
        void keepAhead();
      }
    },
    stop() {
      isStopped = true;
      // Ends the grant that is under way: nobody will tell of its end any more.
      turn += 1;
      clearInterval(keeper);
      changes.notify();
    },
  };
}
