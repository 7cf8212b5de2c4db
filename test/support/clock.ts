// A clock for tests. Nothing waits on it in real time: its timers run when the test moves it.
import type { Clock } from '#core/clock.ts';
import { waitFor } from '#test/support/wait-for.ts';

export interface TestClock extends Clock {
  /**
   * Moves time at once, as for a machine that has slept, and runs the timers that are due, in their order; resolves when their work has
   * ended. Timers do not notice that time is set back.
   */
  advance: (ms: number) => Promise<void>;
  /** From now on `now` stands still, too. Until then it goes with the machine's clock, which other processes and libraries read. */
  hold: () => void;
  /** How long each timer still waits, the shortest first. */
  waits: () => number[];
}

interface Timer {
  dueAt: number;
  work: () => Promise<void> | void;
}

/** Stands still at `standsAt`, if that is given. */
export function createTestClock(standsAt?: number): TestClock {
  let aheadMs = 0;
  let elapsedMs = 0;
  const timers = new Set<Timer>();
  const inOrder = (): Timer[] => [...timers].toSorted((a, b) => a.dueAt - b.dueAt);
  async function run(timer: Timer): Promise<void> {
    // Another that was due may have canceled it.
    if (timers.delete(timer)) await timer.work();
  }
  return {
    now: () => (standsAt ?? Date.now()) + aheadMs,
    after(ms, work) {
      const timer = { dueAt: elapsedMs + ms, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      aheadMs += ms;
      elapsedMs += Math.max(0, ms);
      const due = inOrder().filter(({ dueAt }) => dueAt <= elapsedMs);
      await Promise.all(due.map(run));
    },
    hold() {
      standsAt ??= Date.now();
    },
    waits: () => inOrder().map(({ dueAt }) => dueAt - elapsedMs),
  };
}

/** Waits until something waits for exactly so long, such as a poll for its next look, and lets that time pass. */
export async function passWait(clock: TestClock, ms: number): Promise<void> {
  await waitFor(`something to wait ${ms} ms`, () => clock.waits().includes(ms));
  await clock.advance(ms);
}
