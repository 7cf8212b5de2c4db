// The per-minute request budget of an account, or of a client address where there is no account: a fixed window that opens
// with the first request and refills when it rolls over, so that the reset which clients are told is true. Spec 8.
// In memory: accounts that many machines serve are counted by the database instead (see admission.ts).
import type { Clock } from '#core/clock.ts';

export interface BudgetStanding {
  limit: number;
  remaining: number;
  /** Whole seconds until the window rolls over; at least 1. */
  resetSeconds: number;
  /** True when this request went past the budget. */
  isSpent: boolean;
}

export interface RequestBudget {
  /** Counts one request against the subject's window. */
  spend(subject: string, limit: number): BudgetStanding;
  /** The standing without counting. */
  peek(subject: string, limit: number): BudgetStanding;
}

export const windowMs = 60_000;
const sweepAbove = 10_000;

export function createRequestBudget({ clock }: { clock: Clock }): RequestBudget {
  const windows = new Map<string, { endsAt: number; count: number }>();

  function current(subject: string, now: number): { endsAt: number; count: number } {
    const known = windows.get(subject);
    // A window that ends further off than one can is from before the clock was set back.
    if (known && known.endsAt > now && known.endsAt <= now + windowMs) return known;
    return { endsAt: now + windowMs, count: 0 };
  }

  return {
    spend(subject, limit) {
      const now = clock.now();
      const window = current(subject, now);
      const isSpent = window.count >= limit;
      if (!isSpent) window.count += 1;
      if (windows.size > sweepAbove) dropEnded(windows, now);
      windows.set(subject, window);
      return standingOf(window, limit, now, isSpent);
    },
    peek(subject, limit) {
      const now = clock.now();
      const window = current(subject, now);
      return standingOf(window, limit, now, window.count >= limit);
    },
  };
}

export function standingOf(
  window: { endsAt: number; count: number },
  limit: number,
  now: number,
  isSpent: boolean,
): BudgetStanding {
  return {
    limit,
    remaining: Math.max(0, limit - window.count),
    resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    isSpent,
  };
}

function dropEnded(windows: Map<string, { endsAt: number }>, now: number): void {
  for (const [subject, { endsAt }] of windows) {
    if (endsAt <= now) windows.delete(subject);
  }
}
