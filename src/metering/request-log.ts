// The request log that an account's owner reads: what the API answered to each request. Written in batches off the request path,
// kept for 30 days, and bounded per account; sums by day are kept for longer.
import type { Logger } from 'pino';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { RequestLogRow } from '#storage/schema.ts';
import { dayOf } from '#storage/tables/usage.ts';
import { sumByDay } from '#metering/request-days.ts';

const keptMs = 30 * 24 * 60 * 60 * 1000;
const keptRows = 20_000;
/** Charts show a year at most. */
const keptDays = 400;
/** Past this, new rows are dropped, so that the log cannot fill the memory. */
const waitingRows = 20_000;
const sweepBatch = 2_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

export function createRequestLog(parts: { database: Database; clock: Clock; log: Logger }) {
  const { database, clock, log } = parts;
  let waiting: RequestLogRow[] = [];
  let dropped = 0;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const rows = waiting;
    waiting = [];
    if (dropped > 0)
      log.warn(
        { dropped },
        'request log entries were dropped: requests came faster than the log could be written',
      );
    dropped = 0;
    if (rows.length === 0) return;
    // A power cut may lose the last second of the log.
    await database.transaction(
      async (tables) => tables.requestDays.add(sumByDay(await tables.requestLog.insert(rows))),
      { durability: 'relaxed' },
    );
  }

  return {
    record(row: Omit<RequestLogRow, 'created_at'>): void {
      if (waiting.length < waitingRows) waiting.push({ ...row, created_at: clock.now() });
      else dropped += 1;
    },
    /** Writes the waiting rows; called every second, and before the log is read. */
    flush(): Promise<void> {
      const done = writing.then(write);
      writing = done.catch(() => {});
      return done;
    },
    async sweep({ rowsEach = keptRows } = {}): Promise<void> {
      const { requestLog, requestDays } = database.tables;
      await requestDays.purgeBefore(dayOf(clock.now()) - keptDays);
      while (await requestLog.purgeOlder(clock.now() - keptMs, sweepBatch));
      for (const accountId of await requestLog.crowded(rowsEach)) await requestLog.trim(accountId, rowsEach);
    },
  };
}
