// What the API answered to each account, for its owner to read. Written in batches off the request path, kept for thirty days
// and bounded for each account.
import type { Logger } from 'pino';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { RequestLogRow } from '#storage/schema.ts';

const keptMs = 30 * 24 * 60 * 60 * 1000;
const keptRows = 20_000;
/** Past it the newest are dropped: a log must not be what fills the memory. */
const waitingRows = 20_000;
const sweepBatch = 2_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

export function createRequestLog({
  database,
  clock,
  log,
}: {
  database: Database;
  clock: Clock;
  log: Logger;
}) {
  let waiting: RequestLogRow[] = [];
  let dropped = 0;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const rows = waiting;
    waiting = [];
    if (dropped > 0) log.warn({ dropped }, 'requests came faster than their log could be written');
    dropped = 0;
    if (rows.length === 0) return;
    // A power cut may take the last second of the log; nobody's request waits for it.
    await database.transaction((tables) => tables.requestLog.insert(rows), { durability: 'relaxed' });
  }

  return {
    record(row: Omit<RequestLogRow, 'created_at'>): void {
      if (waiting.length < waitingRows) waiting.push({ ...row, created_at: clock.now() });
      else dropped += 1;
    },
    /** Writes what waits; called every second, and before the log is read. */
    flush(): Promise<void> {
      const done = writing.then(write);
      writing = done.catch(() => {});
      return done;
    },
    async sweep({ rowsEach = keptRows } = {}): Promise<void> {
      const { requestLog } = database.tables;
      while (await requestLog.purgeOlder(clock.now() - keptMs, sweepBatch));
      for (const accountId of await requestLog.crowded(rowsEach)) await requestLog.trim(accountId, rowsEach);
    },
  };
}
