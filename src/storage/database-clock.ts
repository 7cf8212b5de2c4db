// An estimate of the clock of a database that many machines share.
import type { Clock } from '#core/clock.ts';

/** Based on the monotonic clock, so that changing this machine's clock does not affect it. */
export function createDatabaseClock() {
  let originMs: number | undefined;
  return {
    /**
     * Records that the database's clock read `databaseNow` between two values of `performance.now()`. A slow answer says little
     * about the moment; if the estimate may be right it stays, so that time does not step back with each measurement.
     */
    measured(databaseNow: number, askedAt: number, answeredAt: number): void {
      const mayBeRight =
        originMs !== undefined &&
        databaseNow >= Math.floor(originMs + askedAt) &&
        databaseNow <= Math.ceil(originMs + answeredAt);
      if (!mayBeRight) originMs = databaseNow - (askedAt + answeredAt) / 2;
    },
    aheadMs: (): number => Math.round((originMs ?? performance.timeOrigin) + performance.now() - Date.now()),
  };
}

/** The clock for every time that is written to the database or compared with it. */
export const clockOf = (database: { aheadMs(): number }, clock: Clock): Clock => ({
  ...clock,
  now: () => clock.now() + database.aheadMs(),
});
