// The page's clock: virtual time that jumps from timer to timer, in the page and in its cross-site frames, and never falls behind
// real time. If the page's clock stands still while real time passes it, the page draws no more frames and every capture of it
// hangs; so from its first use on the clock is kept ahead.
//
//              runAhead             its time is used, or it is over
//   real time ----------> settling ---------------------------------> ahead
//                            ^                                        |  ^
//                            +-------------- runAhead ----------------+  |  real time comes near: more time is granted
//                                                                     +--+
import type { CdpSession } from '#browser/process/cdp.ts';
import { createFrameClocks, type FrameClocks } from '#browser/page/time/frame-clocks.ts';
import { createPageClock, type PageClock } from '#browser/page/time/page-clock.ts';
import { leadMs, pollMs, stepMs } from '#browser/page/time/times.ts';
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

/** `ahead` before the first use, too: then there is nothing to be ahead of. */
type State = 'ahead' | 'catching up' | 'settling' | 'stopped';

/** `onStuck`: a script does not end, perhaps because it waits for time to pass. */
export function createVirtualClock(
  page: CdpSession,
  changes: Watch,
  lifetime: AbortSignal,
  onStuck: () => void,
): VirtualClock {
  const time = createPageClock(page);
  const clocks = createFrameClocks(page, time, changes, onStuck);
  let state: State = 'ahead';
  let isReal = false;
  let keeper: NodeJS.Timeout | undefined;
  const isStopped = () => state === 'stopped';
  const loading = createLoading(letLoad, changes, lifetime);

  async function advance(budgetMs: number, signal = lifetime): Promise<void> {
    await clocks.grant('advance', budgetMs, signal);
    await time.read(signal);
  }

  async function letLoad(): Promise<void> {
    await clocks.grant('pauseIfNetworkFetchesPending', stepMs, lifetime);
    await time.read(lifetime);
  }

  function keepAhead(): void {
    if (state !== 'ahead') return;
    clocks.keepAhead();
    const missingMs = time.missingMs();
    if (missingMs <= 0) return;
    state = 'catching up';
    // Requests that never end would stop the other kind of time. A page that is stuck does not answer, and is left alone.
    unless(() => state !== 'catching up', advance(missingMs), changes, lifetime)
      .catch(() => {})
      .finally(() => {
        if (state === 'catching up') state = 'ahead';
      });
  }

  return {
    join: (session) => clocks.join(session, { isSettling: state === 'settling' }),
    leave: clocks.leave,
    async runAhead(budgetMs, when, signal) {
      const isOver = () => isStopped() || when.isOver();
      if (isReal) return await waitUntil(performance.now() + budgetMs, isOver, changes, signal);
      keeper ??= setInterval(() => {
        keepAhead();
        if (state === 'settling') clocks.checkScripts();
      }, pollMs).unref();
      if (!isStopped()) state = 'settling';
      try {
        await settle({ time, clocks, loading, changes }, budgetMs, { isOver, isStuck: when.isStuck }, signal);
      } finally {
        if (!isStopped()) state = 'ahead';
        keepAhead();
      }
    },
    async beginAt(calendarMs, signal) {
      await time.read(signal);
      // So far ahead that it need not be moved for the rest of the render: the calendar would show it.
      time.beginAnew(calendarMs - leadMs);
      await advance(leadMs, signal);
      time.begin(calendarMs);
      await page.send('Emulation.setVirtualTimePolicy', { policy: 'pause', ...time.calendar() }, signal);
      page.on('Page.frameNavigated', ({ frame }) => {
        if (frame.parentId !== undefined) return;
        // The process of the document before may be gone, and with it the end of its time.
        clocks.stop(page);
        if (!isStopped()) loading.begin();
      });
    },
    get hasCalendar() {
      return time.hasCalendar;
    },
    useRealTime() {
      isReal = true;
    },
    stop() {
      state = 'stopped';
      loading.end();
      clearInterval(keeper);
      changes.notify();
    },
  };
}

interface Settling {
  time: PageClock;
  clocks: FrameClocks;
  loading: ReturnType<typeof createLoading>;
  changes: Watch;
}

/** Advances the page until it has used this much of its time. */
async function settle(
  { time, clocks, loading, changes }: Settling,
  budgetMs: number,
  { isOver, isStuck }: RunAheadWhen,
  signal: AbortSignal,
): Promise<void> {
  const isFirst = loading.end();
  // Its last step would otherwise end what a frame is given now.
  if (loading.last) await unless(() => isOver() || isStuck(), loading.last, changes, signal);
  const read = () => unless(isOver, time.read(signal), changes, signal);
  await read();
  const endsMs = isFirst ? time.endOfFirst(budgetMs) : time.clockMs + budgetMs;
  // A fraction of a millisecond is lost to rounding.
  while (!isOver() && endsMs - time.clockMs >= 1) {
    const leftMs = endsMs - time.clockMs;
    const [isEnough, given] = isStuck()
      ? [isOver, clocks.grant('advance', Math.min(stepMs, leftMs), signal)]
      : [() => isOver() || isStuck(), clocks.grant('pauseIfNetworkFetchesPending', leftMs, signal)];
    await unless(isEnough, given, changes, signal);
    await read();
  }
  // Only the page itself has used its time; a script in a frame of another site may still be running.
  while (!isOver() && clocks.hasRunningScript()) await changes.change(pollMs, signal);
}

/** Waits for `work` unless it is over first: a page that is navigating to another document does not answer. */
async function unless(
  isOver: () => boolean,
  work: Promise<void>,
  changes: Watch,
  signal: AbortSignal,
): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
    changes.notify();
  });
  done.catch(() => {});
  while (!isDone && !isOver()) await changes.change(pollMs, signal);
  if (isDone) await done;
}

/** A page with a calendar of its own has no time before it settles but what it is given here: at most as much as passes. */
function createLoading(step: () => Promise<void>, changes: Watch, lifetime: AbortSignal) {
  let isLoading = false;
  let last: Promise<void> | undefined;

  async function letLoad(): Promise<void> {
    while (isLoading) {
      const nextAt = performance.now() + stepMs;
      await step();
      await waitUntil(nextAt, () => !isLoading, changes, lifetime);
    }
  }

  return {
    /** The steps that are under way. */
    get last() {
      return last;
    },
    begin(): void {
      isLoading = true;
      last ??= letLoad()
        .catch(() => {})
        .finally(() => (last = undefined));
    },
    /** True if it was loading. */
    end(): boolean {
      const wasLoading = isLoading;
      isLoading = false;
      changes.notify();
      return wasLoading;
    },
  };
}

async function waitUntil(
  endsAt: number,
  isOver: () => boolean,
  changes: Watch,
  signal: AbortSignal,
): Promise<void> {
  while (!isOver() && performance.now() < endsAt)
    await changes.change(Math.ceil(endsAt - performance.now()), signal);
}
