// Postgres as the database of many machines: pooled, prepared, bounded in time. An outage answers within seconds, then at
// once, and ends by itself.
// Write order: a transaction locks the account's usage counter first and only inserts after it, so that two of them
// cannot wait for each other; what still collides is run again.
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { DatabaseError, Pool, types, type PoolClient, type PoolConfig } from 'pg';
import { createTables, type Database } from '#storage/database.ts';
import { migrate } from '#storage/migrations.ts';
import { createOutageGuard, OutageError } from '#storage/outage.ts';
import type { Schema } from '#storage/schema.ts';
import { createRequestWindowsTable } from '#storage/tables/request-windows.ts';

const connectMs = 2_000;
const lockMs = 3_000;
const statementMs = 5_000;
/** The client's own clock, for a server that has fallen silent. */
const silenceMs = 6_000;
/** A machine that lost its power must not hold its locks for long. */
const idleTransactionMs = 10_000;
const transactionAttempts = 5;
const preparedStatements = 200;
const deadlock = '40P01';
const serializationFailure = '40001';

export async function openPostgres(url: string, { poolSize = 10 } = {}): Promise<Database> {
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
    statement_timeout: statementMs,
    query_timeout: silenceMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
  });
  // A connection that breaks while idle leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => {});
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: createGuardedPool(pool) }) });
  // Windows that machines share are kept in the database's time, whatever each machine's own clock says.
  let aheadMs = 0;
  async function ping(): Promise<void> {
    const asked = Date.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
    aheadMs = (rows[0]?.now ?? asked) - (asked + Date.now()) / 2;
  }
  await ping();

  return {
    engine: 'postgres',
    tables: createTables(db),
    requestWindows: createRequestWindowsTable(db, () => aheadMs),
    transaction: (work) =>
      again(() => db.transaction().execute((transaction) => work(createTables(transaction)))),
    changeStamp: () => undefined,
    ping,
    close: () => db.destroy(),
  };
}

/** On a connection of its own: a migration may take longer than a request may, and so may waiting for another machine's. */
async function migrateFirst(server: PoolConfig): Promise<void> {
  const pool = new Pool({ ...server, max: 1 });
  pool.on('error', () => {});
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    await sql`select 1`.execute(db).catch((error: unknown) => {
      throw new OutageError(`DATABASE_URL: the database does not answer (${reasonOf(error)})`, {
        cause: error,
      });
    });
    await migrate(db);
  } finally {
    await db.destroy();
  }
}

/** Hands out connections that fail fast during an outage, prepare their statements, and are dropped once broken. */
function createGuardedPool(pool: Pool): PostgresPool {
  const outage = createOutageGuard('the database');
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  const names = new Map<string, string>();

  function nameOf(text: string): string | undefined {
    const known = names.get(text);
    // Lists of varying length would fill the memory of every connection with variants.
    if (known !== undefined || names.size >= preparedStatements || / in \(/.test(text)) return known;
    const name = `tintype_${names.size}`;
    names.set(text, name);
    return name;
  }

  function wrap(client: PoolClient): PostgresPoolClient {
    let isBroken = false;
    const wrapped = {
      async query(text: string, values: unknown[]) {
        try {
          const name = nameOf(text);
          return await client.query({ text, values, ...(name !== undefined && { name }) });
        } catch (error) {
          // An error that the server did not send leaves the connection in an unknown state.
          if (!(error instanceof DatabaseError)) isBroken = true;
          throw error;
        }
      },
      release: (destroy = false) => client.release(destroy || isBroken),
    };
    return wrapped as unknown as PostgresPoolClient;
  }

  return {
    options: pool.options,
    async connect() {
      const client = await outage.run(() => pool.connect(), isOutage);
      const known = clients.get(client) ?? wrap(client);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

/** A pool whose connections are all at work is busy, not away; the text is pg-pool's. */
const isOutage = (error: unknown): boolean =>
  (error as Error).message !== 'timeout exceeded when trying to connect';

async function again<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      const code = error instanceof DatabaseError ? error.code : undefined;
      if ((code !== deadlock && code !== serializationFailure) || attempt === transactionAttempts)
        throw error;
      await delay(Math.random() * 20 * attempt);
    }
  }
}

/** Counts and times fit a number exactly; pg would hand out int8 and numeric as text. */
const numberTypes: number[] = [types.builtins.INT8, types.builtins.NUMERIC];

const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  numberTypes.includes(oid) ? Number : types.getTypeParser(oid, format);

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? 'unknown reason');
}
