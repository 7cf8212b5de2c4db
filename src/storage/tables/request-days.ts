// The request log summed by day, key and kind. Written with the log itself, off the request path.
import { sql, type Kysely } from 'kysely';
import { latencyBoundsMs, type RequestDayRow, type Schema, type TookColumn } from '#storage/schema.ts';

export const tookColumns = [...latencyBoundsMs, Infinity].map((_, index) => `took_${index}` as TookColumn);
const sums = ['refused', 'failed', ...tookColumns] as const;
const columns = ['account_id', 'day', 'key_id', 'path', ...sums] as const;

export function createRequestDaysTable(db: Kysely<Schema>) {
  return {
    /** Adds to the existing sums. All writers must sort rows the same way, so that they cannot deadlock. */
    async add(rows: RequestDayRow[]): Promise<void> {
      for (const row of rows) {
        await sql`
          insert into request_days (${sql.raw(columns.join(', '))})
          values (${sql.join(columns.map((column) => row[column]))})
          on conflict (account_id, day, key_id, path) do update
          set ${sql.raw(sums.map((sum) => `${sum} = request_days.${sum} + excluded.${sum}`).join(', '))}
        `.execute(db);
      }
    },
    async purgeBefore(day: number): Promise<void> {
      await db.deleteFrom('request_days').where('day', '<', day).execute();
    },
  };
}
