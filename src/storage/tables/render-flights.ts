// Queries on flights: renders that are being made for everyone who asks for the same.
import { sql, type Kysely } from 'kysely';
import type { RenderFlightRow, Schema } from '#storage/schema.ts';

export type FlightKey = Pick<RenderFlightRow, 'account_id' | 'cache_key'>;

export function createRenderFlightsTable(db: Kysely<Schema>) {
  const ofAttempt = (attempt: string, { account_id, cache_key }: FlightKey) =>
    sql`account_id = ${account_id} and cache_key = ${cache_key} and attempt = ${attempt}`;
  const changed = async (statement: ReturnType<typeof sql>): Promise<boolean> =>
    (await statement.execute(db)).numAffectedRows === 1n;

  return {
    /**
     * True for the one attempt that may render. A remembered failure is in the way, unless `retries`; then only that of the attempt
     * `awaited`, which the caller shares.
     */
    claim(
      key: FlightKey,
      { attempt, lockedUntil, now }: { attempt: string; lockedUntil: number; now: number },
      { retries, awaited }: { retries: boolean; awaited: string | undefined },
    ): Promise<boolean> {
      const isFree = retries
        ? sql`(render_flights.failed_until <= ${now} or render_flights.attempt <> ${awaited ?? ''})`
        : sql`render_flights.failed_until <= ${now}`;
      return changed(sql`
        insert into render_flights (account_id, cache_key, attempt, locked_until)
        values (${key.account_id}, ${key.cache_key}, ${attempt}, ${lockedUntil})
        on conflict (account_id, cache_key) do update
        set attempt = excluded.attempt, locked_until = excluded.locked_until, failure = null, failed_until = 0
        where render_flights.locked_until <= ${now} and ${isFree}`);
    },
    read: ({ account_id, cache_key }: FlightKey): Promise<RenderFlightRow | undefined> =>
      db
        .selectFrom('render_flights')
        .selectAll()
        .where('account_id', '=', account_id)
        .where('cache_key', '=', cache_key)
        .executeTakeFirst(),
    async keep(key: FlightKey, attempt: string, lockedUntil: number): Promise<void> {
      await sql`
        update render_flights set locked_until = ${lockedUntil} where ${ofAttempt(attempt, key)}`.execute(db);
    },
    /** False if another attempt has taken over. */
    end: (key: FlightKey, attempt: string): Promise<boolean> =>
      changed(sql`delete from render_flights where ${ofAttempt(attempt, key)}`),
    async fail(
      key: FlightKey,
      attempt: string,
      { failure, failedUntil }: { failure: string; failedUntil: number },
    ): Promise<void> {
      await sql`
        update render_flights set failure = ${failure}, failed_until = ${failedUntil}, locked_until = 0
        where ${ofAttempt(attempt, key)}`.execute(db);
    },
    /** Those that nobody makes, whose failure is no longer remembered. */
    async purge(now: number): Promise<void> {
      await db
        .deleteFrom('render_flights')
        .where('locked_until', '<=', now)
        .where('failed_until', '<=', now)
        .execute();
    },
    async unlockAll(): Promise<void> {
      await db.deleteFrom('render_flights').where('locked_until', '>', 0).execute();
    },
  };
}
