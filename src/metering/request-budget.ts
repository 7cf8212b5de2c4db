// The per-minute request budget of an account, or of a client address if there is no account. A fixed window opens with the first
// request and refills when it rolls over, so that the reset time sent to clients is exact. Spec 8.
// Kept in memory; when many machines share a database, it counts the requests of accounts instead (see admission.ts).
import { createByAge } from '#core/by-age.ts';
import type { Clock } from '#core/clock.ts';

export interface BudgetStanding {
  limit: number;
  remaining: number;
  /** Whole seconds until the window rolls over, from 1 to 60. */
  resetSeconds: number;
  /** True if this request exceeded the budget. */
  isSpent: boolean;
}

export type RequestBudget = ReturnType<typeof createRequestBudget>;

interface Window {
  endsAt: number;
  count: number;
}

export const windowMs = 60_000;

/** Clocks are corrected by milliseconds all the time; such a step back must not open a new window. */
const correctionMs = 1_000;

/**
 * `maxSubjects` bounds the memory when strangers choose the subjects; past it the oldest window is dropped. A window takes about
 * 190 bytes.
 */
export function createRequestBudget({
  clock,
  maxSubjects = Infinity,
}: {
  clock: Clock;
  maxSubjects?: number;
}) {
  /** In the order in which they opened, which is also the order in which they end. */
  const windows = createByAge<string, Window>();

  /** Each request drops at most two windows, so that no single request pays for all. */
  function dropEnded(now: number): void {
    for (let done = 0; done < 2; done += 1) {
      const oldest = windows.oldest();
      if (!oldest || (oldest.value.endsAt > now && windows.size <= maxSubjects)) return;
      windows.delete(oldest.key);
    }
  }

  function current(subject: string, now: number): Window {
    const known = windows.get(subject);
    // A window that ends later than a new one would is from before the clock was set back.
    if (known && known.endsAt > now && known.endsAt <= now + windowMs + correctionMs) return known;
    return { endsAt: now + windowMs, count: 0 };
  }

  return {
    /** Counts one request against the subject's window. */
    spend(subject: string, limit: number): BudgetStanding {
      const now = clock.now();
      const window = current(subject, now);
      const isSpent = window.count >= limit;
      if (!isSpent) window.count += 1;
      if (windows.get(subject) !== window) {
        windows.set(subject, window);
        dropEnded(now);
      }
      return standingOf(window, limit, now, isSpent);
    },
    /** The standing without counting. */
    peek(subject: string, limit: number): BudgetStanding {
      const now = clock.now();
      const window = current(subject, now);
      return standingOf(window, limit, now, window.count >= limit);
    },
    /** Windows in memory. */
    size: (): number => windows.size,
  };
}

export function standingOf(window: Window, limit: number, now: number, isSpent: boolean): BudgetStanding {
  return {
    limit,
    remaining: Math.max(0, limit - window.count),
    // Machines agree on the time only to a few milliseconds, so a window opened by another may appear longer by that much.
    resetSeconds: Math.min(windowMs / 1000, Math.max(1, Math.ceil((window.endsAt - now) / 1000))),
    isSpent,
  };
}
