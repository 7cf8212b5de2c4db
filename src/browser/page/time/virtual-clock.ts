// The page's clock: virtual time that jumps from timer to timer, in the page and in its cross-site frames, and never falls behind
// real time. If the page's clock stands still while real time passes it, the page draws no more frames and every capture of it
// hangs; so from its first use on the clock is kept ahead.
//
//              runAhead             its time is used, or it is over
//   real time ----------> settling ---------------------------------> ahead
//                            ^                                        |  ^
//                            +-------------- runAhead ----------------+  |  real time comes near: more time is granted
//                                                                     +--+
//
// A grant does not replace an earlier one: each leaves a mark, and the first mark that the clock reaches stops it. So the end of a
// grant says only that the clock stands still, and the clock is read to learn how far it has come.
import type { Protocol } from 'devtools-protocol';
import { limits } from '#core/limits.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import { createScriptWatch, type ScriptWatch } from '#browser/page/time/script-watch.ts';
import { aheadMs, leadMs, pollMs, stepMs } from '#browser/page/time/times.ts';
import type { Watch } from '#browser/page/time/watch.ts';

export interface VirtualClock {
  /** A cross-site frame has its own process, and so its own clock. */
  join(session: CdpSession): void;
  leave(session: CdpSession): void;
  /** Advances virtual time by this much. It stands still while requests are under way. */
  runAhead(budgetMs: number, when: RunAheadWhen, signal: AbortSignal): Promise<void>;
  /** Before the page is opened: its calendar shows this moment, in milliseconds since 1970, when its document begins. */
  beginAt(calendarMs: number, signal: AbortSignal): Promise<void>;
  /** Whether it has a calendar that the client has chosen. */
  readonly hasCalendar: boolean;
  /** From now on `runAhead` waits instead: for a page whose scripts do not end in virtual time. */
  useRealTime(): void;
  stop(): void;
}

interface RunAheadWhen {
  /** True if nothing more can be expected: ends early, without an error. */
  isOver(): boolean;
  /** True if requests are under way and none of them is worth waiting for: time continues past them. */
  isStuck(): boolean;
}

/** A frame may be gone before it answers. */
const ignore = (sent: Promise<unknown>): void => {
  sent.catch(() => {});
};

/** Where the calendar begins if the client says so: on the page's own clock, and in the calendar. */
interface Begun {
  clockMs: number;
  calendarMs: number;
}

/** `onStuck`: a script does not end, perhaps because it waits for time to pass. */
export function createVirtualClock(
  page: CdpSession,
  changes: Watch,
  lifetime: AbortSignal,
  onStuck: () => void,
): VirtualClock {
  const scripts = new Map<CdpSession, ScriptWatch>();
  /** Sessions whose clock runs. */
  const running = new Set<CdpSession>();
  /** The page's own clock when it was last read, in milliseconds since an arbitrary moment. */
  let clockMs = 0;
  /** What the page's clock showed at `performance.now() === 0`, before virtual time. */
  let zeroMs: number | undefined;
  let isReal = false;
  // Only then are scripts watched: between two settles the service runs its own.
  let isSettling = false;
  let isCatchingUp = false;
  let begun: Begun | undefined;
  const framesBegun = new Map<CdpSession, { joinedMs: number; givenMs: number }>();
  let isLoading = false;
  let loading: Promise<void> | undefined;
  let isStopped = false;
  let keeper: NodeJS.Timeout | undefined;

  async function read(signal: AbortSignal): Promise<void> {
    const { metrics } = await page.send('Performance.getMetrics', undefined, signal);
    const readMs = (metrics.find(({ name }) => name === 'Timestamp')?.value ?? 0) * 1000;
    // The page has gone on to another site, and so to another process.
    if (begun && readMs < clockMs) begun = { clockMs: readMs, calendarMs: calendarMsAt(begun) };
    clockMs = readMs;
    zeroMs ??= clockMs - performance.now();
  }

  const calendarMsAt = (from: Begun): number => from.calendarMs + clockMs - from.clockMs;

  /** For a process whose clock does not run yet; the others ignore it. */
  const calendar = () => (begun ? { initialVirtualTime: calendarMsAt(begun) / 1000 } : {});

  /** Lets all clocks run until the first mark stops them. */
  async function grant(
    policy: Protocol.Emulation.VirtualTimePolicy,
    budget: number,
    signal: AbortSignal,
  ): Promise<void> {
    // The starvation count keeps a page with endless tasks from stopping its own clock.
    const request = { policy, budget, maxVirtualTimeTaskStarvationCount: 1000, ...calendar() };
    const give = async (session: CdpSession): Promise<void> => {
      try {
        await session.send('Emulation.setVirtualTimePolicy', request, signal);
      } catch (error) {
        // A frame that has just gone needs no time.
        if (session !== page) return;
        throw error;
      }
      // An end that was reported before this answer belongs to an earlier grant.
      if (scripts.has(session)) running.add(session);
      const frame = framesBegun.get(session);
      if (frame) frame.givenMs += budget;
    };
    await Promise.all(Array.from(scripts.keys(), give));
    await changes.until(() => running.size === 0, signal);
  }

  /** Waits for `work` unless it is over first: a page that is navigating to another document does not answer. */
  async function unless(isOver: () => boolean, work: Promise<void>, signal: AbortSignal): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
      changes.notify();
    });
    done.catch(() => {});
    while (!isDone && !isStopped && !isOver()) await changes.change(pollMs, signal);
    if (isDone) await done;
  }

  function keepAhead(): void {
    if (isStopped || isSettling || isCatchingUp || zeroMs === undefined) return;
    keepFramesAhead();
    const missingMs = performance.now() + zeroMs + aheadMs - clockMs;
    if (missingMs <= 0) return;
    isCatchingUp = true;
    // Requests that never end would stop the other kind of time. A page that is stuck does not answer, and is left alone.
    const work = grant('advance', missingMs, lifetime).then(() => read(lifetime));
    unless(() => isSettling, work, lifetime)
      .catch(() => {})
      .finally(() => (isCatchingUp = false));
  }

  /** A page with a calendar of its own has no time before it settles but what it is given here: at most as much as passes. */
  async function letLoad(): Promise<void> {
    while (isLoading && !isStopped) {
      const nextAt = performance.now() + stepMs;
      await grant('pauseIfNetworkFetchesPending', stepMs, lifetime);
      await read(lifetime);
      while (isLoading && performance.now() < nextAt)
        await changes.change(Math.ceil(nextAt - performance.now()), lifetime);
    }
  }

  /** With a calendar the page is far ahead, and its frames are not: what they were given is compared with what has passed. */
  function keepFramesAhead(): void {
    for (const [session, frame] of framesBegun) {
      const missingMs = performance.now() - frame.joinedMs + aheadMs - frame.givenMs;
      if (missingMs <= 0) continue;
      frame.givenMs += missingMs;
      ignore(session.send('Emulation.setVirtualTimePolicy', { policy: 'advance', budget: missingMs }));
    }
  }

  async function wait(budgetMs: number, { isOver }: RunAheadWhen, signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + budgetMs;
    while (!isStopped && !isOver() && performance.now() < endsAt)
      await changes.change(Math.ceil(endsAt - performance.now()), signal);
  }

  /**
   * With a calendar, the first settle ends between two full seconds of it: how long the load took must not show in a countdown. Not at
   * half a second, nor at a tenth: whether timers fired there would be chance.
   */
  function endOfFirst(budgetMs: number): number {
    const betweenMs = (begun?.clockMs ?? 0) + 475;
    return betweenMs + Math.ceil((clockMs + budgetMs - betweenMs) / 1000) * 1000;
  }

  async function settle(
    budgetMs: number,
    { isOver, isStuck }: RunAheadWhen,
    signal: AbortSignal,
  ): Promise<void> {
    const isFirst = isLoading;
    isLoading = false;
    changes.notify();
    // Its last step would otherwise end what a frame is given now.
    if (loading) await unless(() => isOver() || isStuck(), loading, signal);
    await unless(isOver, read(signal), signal);
    const endsMs = isFirst ? endOfFirst(budgetMs) : clockMs + budgetMs;
    // A fraction of a millisecond is lost to rounding.
    while (!isStopped && !isOver() && endsMs - clockMs >= 1) {
      const leftMs = endsMs - clockMs;
      if (isStuck()) await unless(isOver, grant('advance', Math.min(stepMs, leftMs), signal), signal);
      else
        await unless(
          () => isOver() || isStuck(),
          grant('pauseIfNetworkFetchesPending', leftMs, signal),
          signal,
        );
      await unless(isOver, read(signal), signal);
    }
    // Only the page itself has used its time; a script in a frame of another site may still be running.
    while (!isStopped && !isOver() && scripts.values().some(({ isRunning }) => isRunning))
      await changes.change(pollMs, signal);
  }

  return {
    join(session) {
      scripts.set(session, createScriptWatch(session, onStuck));
      session.on('Emulation.virtualTimeBudgetExpired', () => {
        running.delete(session);
        changes.notify();
      });
      // Its process has a calendar of its own.
      if (!begun) return;
      // It loads with the page, or in the time that a page has to settle.
      const given = isSettling
        ? ({ policy: 'pauseIfNetworkFetchesPending', budget: limits.settleMs } as const)
        : ({ policy: 'pause' } as const);
      framesBegun.set(session, { joinedMs: performance.now(), givenMs: isSettling ? limits.settleMs : 0 });
      ignore(session.send('Emulation.setVirtualTimePolicy', { ...given, ...calendar() }));
    },
    leave(session) {
      running.delete(session);
      scripts.delete(session);
      framesBegun.delete(session);
      changes.notify();
    },
    async runAhead(budgetMs, when, signal) {
      if (isReal) return await wait(budgetMs, when, signal);
      keeper ??= setInterval(() => {
        keepAhead();
        if (isSettling) for (const script of scripts.values()) script.check();
      }, pollMs).unref();
      isSettling = true;
      try {
        await settle(budgetMs, when, signal);
      } finally {
        isSettling = false;
        keepAhead();
      }
    },
    async beginAt(calendarMs, signal) {
      await read(signal);
      // So far ahead that it need not be moved for the rest of the render: the calendar would show it.
      begun = { clockMs: 0, calendarMs: calendarMs - leadMs };
      clockMs = 0;
      await grant('advance', leadMs, signal);
      await read(signal);
      begun = { clockMs, calendarMs };
      await page.send('Emulation.setVirtualTimePolicy', { policy: 'pause', ...calendar() }, signal);
      page.on('Page.frameNavigated', ({ frame }) => {
        if (frame.parentId !== undefined) return;
        // The process of the document before may be gone, and with it the end of its time.
        running.delete(page);
        changes.notify();
        isLoading = true;
        loading ??= letLoad()
          .catch(() => {})
          .finally(() => (loading = undefined));
      });
    },
    get hasCalendar() {
      return begun !== undefined;
    },
    useRealTime() {
      isReal = true;
    },
    stop() {
      isStopped = true;
      clearInterval(keeper);
      changes.notify();
    },
  };
}
