// The clock of a database that many machines share, as this machine knows it.
import type { Clock } from '#core/clock.ts';

/** Read through the monotonic clock, so that setting this machine's own clock does not move it. */
export function createDatabaseClock() {
  let originMs = performance.timeOrigin;
  return {
    /** The database said that it was `databaseNow` at `at`, a time of `performance.now()`. */
    measured(databaseNow: number, at: number): void {
      originMs = databaseNow - at;
    },
    aheadMs: (): number => Math.round(originMs + performance.now() - Date.now()),
  };
}

/** The clock that everything in the database is written and judged by. */
export const clockOf = (database: { aheadMs(): number }, clock: Clock): Clock => ({
  now: () => clock.now() + database.aheadMs(),
});
