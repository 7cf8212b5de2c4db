// The page's clock: virtual time that jumps from timer to timer, in the page and in its cross-site frames, and never falls behind
// real time. If the page's clock stands still while real time passes it, the page draws no more frames and every capture of it
// hangs; so from its first use on the clock is kept ahead.
import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from '#browser/process/cdp.ts';
import { createScriptWatch, type ScriptWatch } from '#browser/page/script-watch.ts';
import type { Watch } from '#browser/page/watch.ts';

export interface VirtualClock {
  /** A cross-site frame has its own process, and so its own clock. */
  join(session: CdpSession): void;
  leave(session: CdpSession): void;
  /** Advances virtual time by this much. It stands still while requests are under way. */
  runAhead(budgetMs: number, when: RunAheadWhen, signal: AbortSignal): Promise<void>;
  /** From now on `runAhead` waits instead: for a page whose scripts do not end in virtual time. */
  useRealTime(): void;
  stop(): void;
}

interface RunAheadWhen {
  /** True if nothing more can be expected: ends early, without an error. */
  isOver(): boolean;
  /** True if requests are under way and none of them is worth waiting for: time continues past them. */
  isStuck(): boolean;
  /** True if a request is under way that is worth waiting for. */
  isWaiting(): boolean;
}

const aheadMs = 2_000;
const lookMs = 100;
// Time passes a long poll in steps, so that requests sent by a timer are waited for.
const stepMs = 50;

/** `onStuck`: a script does not end, perhaps because it waits for time to pass. */
export function createVirtualClock(
  page: CdpSession,
  changes: Watch,
  lifetime: AbortSignal,
  onStuck: () => void,
): VirtualClock {
  const scripts = new Map<CdpSession, ScriptWatch>();
  let isReal = false;
  // Those that have time left of the newest grant. Each event of a page asks whether there are any.
  const running = new Set<CdpSession>();
  let startedAt = 0;
  let passedMs = 0;
  let turn = 0;
  // The keeper grants no time while another caller does.
  let grantors = 0;
  // Only then are scripts watched: between two settles the service runs its own.
  let isAhead = false;
  let isStopped = false;
  let keeper: NodeJS.Timeout | undefined;

  /** The page's own clock, in virtual milliseconds since an arbitrary moment. */
  async function read(signal: AbortSignal): Promise<number> {
    const { metrics } = await page.send('Performance.getMetrics', undefined, signal);
    return (metrics.find(({ name }) => name === 'Timestamp')?.value ?? 0) * 1000;
  }

  function keep(): void {
    if (keeper !== undefined) return;
    startedAt = performance.now();
    keeper = setInterval(() => {
      keepAhead();
      if (isAhead) for (const script of scripts.values()) script.look();
    }, lookMs).unref();
  }

  async function wait(budgetMs: number, { isOver }: RunAheadWhen, signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + budgetMs;
    while (!isStopped && !isOver() && performance.now() < endsAt)
      await changes.change(Math.ceil(endsAt - performance.now()), signal);
  }

  /** A new grant replaces one that is still under way. Returns whether all of it was used. */
  async function grant(
    policy: Protocol.Emulation.VirtualTimePolicy,
    budget: number,
    isEnough: () => boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const mine = (turn += 1);
    const isMine = () => mine === turn;
    // The starvation count keeps a page with endless tasks from stopping its own clock.
    const request = { policy, budget, maxVirtualTimeTaskStarvationCount: 1000 };
    const answer: { isHere: boolean; error?: Error } = { isHere: false };
    // Not awaited: a page that is navigating to another document does not answer.
    Promise.all(
      Array.from(scripts.keys(), async (session) => {
        try {
          await session.send('Emulation.setVirtualTimePolicy', request, signal);
        } catch (error) {
          // A frame that has just gone needs no time.
          if (session !== page) return;
          throw error;
        }
        // An end that was reported before this answer belongs to an earlier grant.
        if (scripts.has(session)) running.add(session);
      }),
    )
      .then(
        () => (answer.isHere = true),
        (error: Error) => (answer.error = error),
      )
      .then(() => changes.notify())
      .catch((error: Error) => (answer.error = error));
    const isUsed = () => answer.isHere && running.size === 0;
    while (isMine() && !isUsed() && !isEnough()) {
      if (answer.error) throw answer.error;
      await changes.change(lookMs, signal);
    }
    if (!isMine() || !isUsed()) return false;
    passedMs += budget;
    return true;
  }

  /** Time stands still while requests are under way, until none of them is worth waiting for. */
  async function runUnlessFetching(budget: number, when: RunAheadWhen, signal: AbortSignal): Promise<void> {
    // Read before the grant, on the same pipe, so that it costs no time.
    const started = read(signal);
    started.catch(() => {});
    const isEnough = () => when.isOver() || when.isStuck();
    if (await grant('pauseIfNetworkFetchesPending', budget, isEnough, signal)) return;
    if (when.isOver()) return;
    const elapsedMs = (await read(signal)) - (await started);
    passedMs += Math.min(Math.max(elapsedMs, 0), budget);
  }

  function keepAhead(): void {
    const missingMs = performance.now() - startedAt + aheadMs - passedMs;
    if (isStopped || grantors > 0 || missingMs <= 0) return;
    grantors += 1;
    // Requests that never end would stop the other kind of time. A page that is stuck does not answer, and is left alone.
    grant('advance', missingMs, () => false, lifetime)
      .catch(() => {})
      .finally(() => (grantors -= 1));
  }

  return {
    join(session) {
      scripts.set(session, createScriptWatch(session, onStuck));
      session.on('Emulation.virtualTimeBudgetExpired', () => {
        running.delete(session);
        changes.notify();
      });
    },
    leave(session) {
      running.delete(session);
      scripts.delete(session);
      changes.notify();
    },
    async runAhead(budgetMs, when, signal) {
      if (isReal) return await wait(budgetMs, when, signal);
      keep();
      isAhead = true;
      grantors += 1;
      const endsMs = passedMs + budgetMs;
      try {
        await runUnlessFetching(budgetMs, when, signal);
        while (!isStopped && !when.isOver() && passedMs < endsMs) {
          if (when.isWaiting()) await changes.change(lookMs, signal);
          else await grant('advance', Math.min(stepMs, endsMs - passedMs), when.isOver, signal);
        }
        // Only the page itself has used its time; a script in a frame of another site may still be running.
        while (!isStopped && !when.isOver() && scripts.values().some(({ isRunning }) => isRunning))
          await changes.change(lookMs, signal);
      } finally {
        isAhead = false;
        grantors -= 1;
        keepAhead();
      }
    },
    useRealTime() {
      isReal = true;
    },
    stop() {
      isStopped = true;
      // Ends the grant that is under way: its end will no longer be reported.
      turn += 1;
      clearInterval(keeper);
      changes.notify();
    },
  };
}
