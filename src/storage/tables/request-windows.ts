// The request windows of accounts, when many machines share the database. One statement looks up the key and counts the request,
// so that a request costs one round trip and the count is exact across machines. Postgres only; a single machine keeps its
// windows in memory. Spec 5, 8.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Schema } from '#storage/schema.ts';
import { keyColumns, revocationSkewMs, type KeyHolder } from '#storage/tables/api-keys.ts';
import { holderColumns } from '#storage/tables/holder.ts';
import { standardPlanId, storedPlan } from '#storage/tables/plans.ts';

interface RequestLimits {
  /** Requests per window by plan. A stored plan overrides a built-in one, and a plan of the file overrides both. */
  builtIn: Record<string, number>;
  fromFile: Record<string, number>;
  windowMs: number;
}

/** The holder of a key; the window is null if the key is not allowed to do what it asks. */
export type CountedHolder = KeyHolder & { window: CountedWindow | null };

interface CountedWindow {
  count: number;
  endsInMs: number;
  /** The request exceeded the limit and was not counted. */
  isRefused: boolean;
}

export interface RequestWindowsTable {
  /** `now` is this machine's estimate of the database's time, good to a few milliseconds. */
  count(
    keyHash: string,
    scopes: string[],
    limits: RequestLimits,
    now: number,
  ): Promise<CountedHolder | undefined>;
  countAccount(accountId: string, limit: number, windowMs: number, now: number): Promise<CountedWindow>;
  /** Undefined when no window is open. */
  read(
    accountId: string,
    windowMs: number,
    now: number,
  ): Promise<Pick<CountedWindow, 'count' | 'endsInMs'> | undefined>;
}

type Row = KeyHolder & { request_limit: number; count: number | null; ends_at: number; refused: 0 | 1 };

/** Clock skew tolerated between machines; beyond it a window would restart whenever another machine serves the request. */
const skewMs = 10_000;

export function createRequestWindowsTable(db: Kysely<Schema>): RequestWindowsTable {
  const timeOf = (now: number) => sql`${now}::bigint`;

  /** Updates an open window: it has ended and restarts, is spent, or has room. */
  function orMove(now: RawBuilder<unknown>, limit: RawBuilder<unknown>): RawBuilder<unknown> {
    // A window that ends later than a new one would is from before a clock was set back.
    const hasEnded = sql`(current.ends_at <= ${now} or current.ends_at > excluded.ends_at + ${skewMs}::integer)`;
    const isSpent = sql`current.count >= ${limit}`;
    return sql`
      on conflict (account_id) do update set
        ends_at = case when ${hasEnded} then excluded.ends_at else current.ends_at end,
        count = case when ${hasEnded} then 1 when ${isSpent} then current.count else current.count + 1 end,
        refused = case when not ${hasEnded} and ${isSpent} then 1 else 0 end
      returning count, ends_at - ${now} as ends_at, refused`;
  }

  return {
    async count(keyHash, scopes, { builtIn, fromFile, windowMs }, nowMs) {
      const now = timeOf(nowMs);
      const { rows } = await sql<Row>`
        with holder as (
          select ${keyColumns}, ${holderColumns}, stored.definition as stored_plan,
            coalesce(by_plan ->> plan, by_plan ->> ${sql.lit(standardPlanId)})::integer as request_limit
          from api_keys join accounts on accounts.id = account_id
          left join lateral ${storedPlan} as stored on true
          cross join lateral (
            select ${JSON.stringify(builtIn)}::jsonb
              || case when stored.definition is null then '{}' else jsonb_build_object(
                stored.definition::jsonb ->> 'id', stored.definition::jsonb -> 'requests_per_minute') end
              || ${JSON.stringify(fromFile)}::jsonb as by_plan
          ) as limits
          where key_hash = ${keyHash}
        ), counted as (
          insert into request_windows as current (account_id, ends_at, count, refused)
          select account_id, ${now} + ${windowMs}::integer, 1, 0 from holder
          where (revoked_at is null or revoked_at > ${now} + ${revocationSkewMs}::integer) and verified = 1 and suspended = 0
            and (expires_at is null or expires_at > ${now}) and scope = any(${scopes})
          ${orMove(now, sql`(select request_limit from holder)`)}
        )
        select holder.*, count, ends_at, refused from holder left join counted on true`.execute(db);
      const [row] = rows;
      if (!row) return undefined;
      const { count, ends_at: endsInMs, refused, request_limit: _limit, ...holder } = row;
      return { ...holder, window: count === null ? null : { count, endsInMs, isRefused: refused === 1 } };
    },
    async countAccount(accountId, limit, windowMs, nowMs) {
      const now = timeOf(nowMs);
      const { rows } = await sql<{ count: number; ends_at: number; refused: 0 | 1 }>`
        insert into request_windows as current (account_id, ends_at, count, refused)
        values (${accountId}, ${now} + ${windowMs}::integer, 1, 0)
        ${orMove(now, sql`${limit}::integer`)}`.execute(db);
      const [row] = rows;
      if (!row) throw new Error('no window was counted');
      return { count: row.count, endsInMs: row.ends_at, isRefused: row.refused === 1 };
    },
    async read(accountId, windowMs, nowMs) {
      const now = timeOf(nowMs);
      const { rows } = await sql<{ count: number; ends_at: number }>`
        select count, ends_at - ${now} as ends_at from request_windows
        where account_id = ${accountId} and ends_at > ${now}
          and ends_at <= ${now} + ${windowMs + skewMs}::integer`.execute(db);
      const [row] = rows;
      return row && { count: row.count, endsInMs: row.ends_at };
    },
  };
}
