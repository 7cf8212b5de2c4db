// An estimate of the clock of a database that many machines share.
import type { Clock } from '#core/clock.ts';

/** Based on the monotonic clock, so that changing this machine's clock does not affect it. */
export function createDatabaseClock() {
  let originMs = performance.timeOrigin;
  return {
    /** Records that the database's clock read `databaseNow` at `at`, a value of `performance.now()`. */
    measured(databaseNow: number, at: number): void {
      originMs = databaseNow - at;
    },
    aheadMs: (): number => Math.round(originMs + performance.now() - Date.now()),
  };
}

/** The clock for every time that is written to the database or compared with it. */
export const clockOf = (database: { aheadMs(): number }, clock: Clock): Clock => ({
  now: () => clock.now() + database.aheadMs(),
});
