// Queries on renders that are queued. Accounts take turns: beginning a job takes the account that has had the fewest, and counts
// one turn more for it. In Postgres all transactions lock in this order: queue, counter of the account, job, render.
import { sql, type Kysely } from 'kysely';
import type { RenderJobRow, Schema } from '#storage/schema.ts';
import { skipLocked } from '#storage/tables/skip-locked.ts';

/** The most renders of an account at once, by its plan. */
export interface PlanCaps {
  byPlan: Record<string, number>;
  /** For a plan that is not listed. */
  standard: number;
}

type NewJob = Omit<RenderJobRow, 'attempts' | 'claim' | 'leased_until' | 'sending'>;

/** Turns that an account may make up for: machines pass over a queue that another is taking from. */
const mostMadeUp = 4;
/** Empty queues deleted per run. */
const sweepBatch = 500;

const furthest = sql<number>`(select coalesce(max(turn), 0) from render_queues)`;
/** One turn more. An account that was passed over makes up for it, but not for a long time in which it could not begin any. */
const nextTurn = sql<number>`case
  when turn + 1 < ${furthest} - ${sql.lit(mostMadeUp)} then ${furthest} - ${sql.lit(mostMadeUp)} else turn + 1 end`;

export function createRenderJobsTable(db: Kysely<Schema>) {
  return {
    async insert(job: NewJob): Promise<void> {
      await db
        .insertInto('render_jobs')
        .values({ ...job, attempts: 0, claim: null, leased_until: 0, sending: 0 })
        .execute();
    },
    /** A job of the account that has not ended, and its pending render, which has this key. */
    equal: (accountId: string, key: string) =>
      db
        .selectFrom('renders')
        .innerJoin('render_jobs', 'render_jobs.id', 'renders.id')
        .selectAll('renders')
        .select('render_jobs.leased_until')
        .where('renders.account_id', '=', accountId)
        .where('renders.cache_key', '=', key)
        .limit(1)
        .executeTakeFirst(),
    /** From now on it cannot be canceled. False if it was, or another machine has it. */
    async beginSending(claim: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('render_jobs')
        .set({ sending: 1 })
        .where('claim', '=', claim)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Ends a job and its pending render, whose row is written anew. False if it was canceled, or another machine has it. */
    async end({ id, claim }: Pick<RenderJobRow, 'id' | 'claim'>): Promise<boolean> {
      const ended = await db
        .deleteFrom('render_jobs')
        .where('id', '=', id)
        .where('claim', '=', claim)
        .executeTakeFirst();
      if (ended.numDeletedRows === 0n) return false;
      await db.deleteFrom('renders').where('id', '=', id).execute();
      return true;
    },
    /** Ends a job of the account wherever it is, unless its outputs are being sent; its render is canceled. */
    async cancel(
      accountId: string,
      id: string,
      { failure, now }: { failure: string; now: number },
    ): Promise<boolean> {
      const ended = await db
        .deleteFrom('render_jobs')
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('sending', '=', 0)
        .executeTakeFirst();
      if (ended.numDeletedRows === 0n) return false;
      await db
        .updateTable('renders')
        .set({ state: 'canceled', failure, finished_at: now })
        .where('id', '=', id)
        .execute();
      return true;
    },
    /** Those of the jobs that wait for their turn. */
    async queued(ids: string[], now: number): Promise<Set<string>> {
      const rows = await db
        .selectFrom('render_jobs')
        .select('id')
        .where('id', 'in', ids)
        .where('leased_until', '<=', now)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Those of the jobs that have not ended. */
    async existing(ids: string[]): Promise<Set<string>> {
      const rows = await db.selectFrom('render_jobs').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Some jobs of the account, for its deletion. */
    async idsOf(accountId: string, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('render_jobs')
        .select('id')
        .where('account_id', '=', accountId)
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    /** With their renders. */
    async purge(ids: string[]): Promise<void> {
      await db.deleteFrom('render_jobs').where('id', 'in', ids).execute();
      await db.deleteFrom('renders').where('id', 'in', ids).where('state', '=', 'pending').execute();
    },
    ...createTurns(db),
  };
}

/** Whose turn it is, and which machine has a job until when. */
function createTurns(db: Kysely<Schema>) {
  return {
    /** Locks the queue of the account, and opens it if there is none. */
    async lockQueue(accountId: string): Promise<void> {
      await sql`
        insert into render_queues (account_id, turn) values (${accountId}, ${furthest})
        on conflict (account_id) do update set turn = render_queues.turn`.execute(db);
    },
    /** The next of the accounts that have a job to begin and a capture slot for it. Locks its queue. */
    async nextAccount(now: number, caps: PlanCaps, without: string[]): Promise<string | undefined> {
      const cases = Object.entries(caps.byPlan).map(
        ([plan, cap]) => sql`when ${plan} then cast(${cap} as integer)`,
      );
      const { rows } = await sql<{ account_id: string }>`
        select queue.account_id from render_queues as queue inner join accounts on accounts.id = queue.account_id
        where accounts.suspended = 0
          and exists (
            select 1 from render_jobs where account_id = queue.account_id and leased_until <= ${now}
          ) and (
            select count(*) from render_jobs where account_id = queue.account_id and leased_until > ${now}
          ) + (
            select count(*) from render_leases where account_id = queue.account_id and expires_at > ${now}
          ) < case accounts.plan ${sql.join(cases, sql` `)} else cast(${caps.standard} as integer) end
          ${without.length > 0 ? sql`and queue.account_id not in (${sql.join(without)})` : sql``}
        order by queue.turn, queue.account_id limit 1 ${skipLocked(db, 'queue')}`.execute(db);
      return rows[0]?.account_id;
    },
    /** Begins the oldest job of the account, which is its turn. */
    async claim(
      accountId: string,
      { claim, now, leaseMs }: { claim: string; now: number; leaseMs: number },
    ): Promise<RenderJobRow | undefined> {
      await db
        .updateTable('render_queues')
        .set({ turn: nextTurn })
        .where('account_id', '=', accountId)
        .execute();
      return db
        .updateTable('render_jobs')
        .set({ claim, leased_until: now + leaseMs, attempts: sql`attempts + 1`, sending: 0 })
        .where('id', '=', ({ selectFrom }) =>
          selectFrom('render_jobs')
            .select('id')
            .where('account_id', '=', accountId)
            .where('leased_until', '<=', now)
            .orderBy('created_at')
            .orderBy('id')
            .limit(1),
        )
        .where('leased_until', '<=', now)
        .returningAll()
        .executeTakeFirst();
    },
    /** Extends the leases; returns the claims that still hold. */
    async extend(claims: string[], leasedUntil: number): Promise<Set<string>> {
      const rows = await db
        .updateTable('render_jobs')
        .set({ leased_until: leasedUntil })
        .where('claim', 'in', claims)
        .returning('claim')
        .execute();
      return new Set(rows.map(({ claim }) => claim ?? ''));
    },
    /** Gives back a job that was not tried; another machine may begin it at once. */
    async giveBack(claim: string): Promise<void> {
      await db
        .updateTable('render_jobs')
        .set({ claim: null, leased_until: 0, attempts: sql`attempts - 1` })
        .where('claim', '=', claim)
        .execute();
    },
    /** At the start of a single machine: the process that held the leases is gone. */
    async endLeases(): Promise<void> {
      await db.updateTable('render_jobs').set({ leased_until: 0 }).where('leased_until', '>', 0).execute();
    },
    /** Forgets accounts that have no jobs. */
    async sweepQueues(): Promise<void> {
      // Locks the rows. What is looked for next therefore includes every job whose transaction has written to one of them.
      const { rows } = await sql<{ account_id: string }>`
        select account_id from render_queues as queue
        where not exists (select 1 from render_jobs where account_id = queue.account_id)
        limit ${sweepBatch} ${skipLocked(db, 'queue')}`.execute(db);
      if (rows.length === 0) return;
      await sql`
        delete from render_queues where account_id in (${sql.join(rows.map((row) => row.account_id))})
          and not exists (select 1 from render_jobs where account_id = render_queues.account_id)`.execute(db);
    },
  };
}
