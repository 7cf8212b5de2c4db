// How far a page's own clock has come, and what its calendar shows if the client has chosen one.
import type { CdpSession } from '#browser/process/cdp.ts';
import { aheadMs } from '#browser/page/time/times.ts';

export type PageClock = ReturnType<typeof createPageClock>;

export function createPageClock(page: CdpSession) {
  /** When it was last read, in milliseconds since an arbitrary moment. */
  let clockMs = 0;
  /** What it showed at `performance.now() === 0`, before virtual time. */
  let zeroMs: number | undefined;
  /** Where the calendar begins: on the page's own clock, and in the calendar. */
  let begun: { clockMs: number; calendarMs: number } | undefined;

  const calendarMsAt = (from: { clockMs: number; calendarMs: number }): number =>
    from.calendarMs + clockMs - from.clockMs;

  return {
    async read(signal: AbortSignal): Promise<void> {
      const { metrics } = await page.send('Performance.getMetrics', undefined, signal);
      const readMs = (metrics.find(({ name }) => name === 'Timestamp')?.value ?? 0) * 1000;
      // The page has gone on to another site, and so to another process.
      if (begun && readMs < clockMs) begun = { clockMs: readMs, calendarMs: calendarMsAt(begun) };
      clockMs = readMs;
      zeroMs ??= clockMs - performance.now();
    },
    get clockMs() {
      return clockMs;
    },
    /** What it needs to be ahead of real time; nothing before it was read. */
    missingMs: (): number => (zeroMs === undefined ? 0 : performance.now() + zeroMs + aheadMs - clockMs),
    get hasCalendar() {
      return begun !== undefined;
    },
    /** The calendar shows this moment, at a clock that begins anew. */
    beginAnew(calendarMs: number): void {
      clockMs = 0;
      begun = { clockMs, calendarMs };
    },
    /** The calendar shows this moment now. */
    begin(calendarMs: number): void {
      begun = { clockMs, calendarMs };
    },
    /** For a process whose clock does not run yet; the others ignore it. */
    calendar: () => (begun ? { initialVirtualTime: calendarMsAt(begun) / 1000 } : {}),
    /**
     * With a calendar, the first settle ends between two full seconds of it: how long the load took must not show in a countdown. Not
     * at half a second, nor at a tenth: whether timers fired there would be chance.
     */
    endOfFirst(budgetMs: number): number {
      const betweenMs = (begun?.clockMs ?? 0) + 475;
      return betweenMs + Math.ceil((clockMs + budgetMs - betweenMs) / 1000) * 1000;
    },
  };
}
