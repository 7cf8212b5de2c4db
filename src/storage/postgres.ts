// Postgres as the database of many machines, with a pool, prepared statements and timeouts. During an outage requests fail
// within seconds, then at once; recovery is automatic.
// Write order: a transaction locks the account's usage counter before it touches other rows, so that two of them cannot
// deadlock; remaining conflicts are retried.
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, types, type PoolConfig } from 'pg';
import { createFairQueue } from '#core/fair-queue.ts';
import { createTimings } from '#core/timings.ts';
import { createTables, UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import { migrate } from '#storage/migrations.ts';
import { retryOnConflict, createGuardedPool, LostCommitError } from '#storage/postgres-pool.ts';
import type { Schema } from '#storage/schema.ts';
import { createDatabaseClock } from '#storage/database-clock.ts';
import { createChoresTable } from '#storage/tables/chores.ts';
import { createRequestWindowsTable } from '#storage/tables/request-windows.ts';

const connectMs = 2_000;
/** Transactions of one account at once: the first holds the lock, the next waits for it, and more would only hold connections. */
const lockingPerAccount = 2;
/** How long a transaction waits for those of its account. */
const lineMs = 15_000;
/** The client-side timeout, for a server that no longer responds. */
const silenceMs = 4_500;
/** Postgres settings, in milliseconds. */
const timeouts = {
  lock_timeout: 3_000,
  statement_timeout: 4_000,
  /** A machine that lost power must not hold its locks for long. */
  idle_in_transaction_session_timeout: 10_000,
};
/** How long a request waits while the outcome of its commit is queried. */
const settleMs = 4_000;
const settleEveryMs = 200;

export async function openPostgres(url: string, { poolSize = 10 } = {}): Promise<Database> {
  // Behind PgBouncer, the next transaction may run on another connection, without what this one set or prepared.
  const isShared = /[?&]pgbouncer=true(&|$)/.test(url);
  const server = {
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'tintype',
    types: { getTypeParser },
  };
  await migrateFirst(server);

  const pool = new Pool({
    ...server,
    max: poolSize,
    query_timeout: silenceMs,
    ...(!isShared && timeouts),
  });
  // The pool drops a connection that breaks while idle. Without a listener the error would end the process.
  pool.on('error', () => {});
  const timings = createTimings();
  const guarded = createGuardedPool(pool, timings.note, isShared ? timeouts : undefined);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guarded }) });

  const lines = createFairQueue({
    concurrency: Infinity,
    concurrencyPerAccount: lockingPerAccount,
    maxWaitMs: lineMs,
    tooLong: () => new Error('too many transactions of one account wait for each other'),
  });
  const databaseClock = createDatabaseClock();
  async function ping(): Promise<void> {
    const asked = performance.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
    if (rows[0]) databaseClock.measured(rows[0].now, asked, performance.now());
  }
  await ping();

  const transaction = <T>(work: (tables: Tables) => Promise<T>): Promise<T> =>
    retryOnConflict(() => attempt(work));

  async function attempt<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    let finished: { result: T } | undefined;
    try {
      return await db.transaction().execute(async (inside) => {
        finished = { result: await work(createTables(inside)) };
        return finished.result;
      });
    } catch (error) {
      if (!(error instanceof LostCommitError && finished)) throw error;
      const fate = await fateOf(db, error);
      if (fate === 'committed') return finished.result;
      throw fate === 'aborted' ? error : new UnknownOutcomeError(error.message, { cause: error });
    }
  }

  return {
    engine: 'postgres',
    tables: createTables(db),
    connection: db,
    timings,
    requestWindows: createRequestWindowsTable(db),
    chores: createChoresTable(db),
    aheadMs: databaseClock.aheadMs,
    transaction,
    transactionOf: (accountId, work) => lines.run(accountId, () => transaction(work)),
    ping,
    close: () => db.destroy(),
  };
}

/** On a separate connection without the request timeouts: a migration, or waiting for another machine's, may take longer. */
async function migrateFirst(server: PoolConfig): Promise<void> {
  const pool = new Pool({ ...server, max: 1 });
  pool.on('error', () => {});
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    await sql`select 1`.execute(db).catch((error: unknown) => {
      throw new Error(`DATABASE_URL: the database does not respond (${reasonOf(error)})`, {
        cause: error,
      });
    });
    await migrate(db);
  } finally {
    await db.destroy();
  }
}

/** Queries until the server is back or `settleMs` have passed. */
async function fateOf(
  db: Kysely<Schema>,
  { transactionId }: LostCommitError,
): Promise<'committed' | 'aborted' | 'unknown'> {
  const until = Date.now() + settleMs;
  while (Date.now() < until) {
    const answer = await sql<{ status: string | null }>`
      select pg_xact_status(${transactionId}::text::xid8) as status`
      .execute(db)
      .catch(() => undefined);
    const status = answer?.rows[0]?.status;
    if (status === 'committed' || status === 'aborted') return status;
    await delay(settleEveryMs);
  }
  return 'unknown';
}

/** Counts and times fit a JavaScript number exactly; by default pg returns int8 and numeric as text. */
const numberTypes: number[] = [types.builtins.INT8, types.builtins.NUMERIC];

const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  numberTypes.includes(oid) ? Number : types.getTypeParser(oid, format);

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? 'unknown reason');
}
