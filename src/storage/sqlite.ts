// SQLite as the database of one machine, through Node's built-in driver. WAL lets the command line write while the server runs;
// synchronous FULL means that acknowledged writes survive a power cut.
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { createBoundedMap } from '#core/bounded-map.ts';
import { createTables, type Database } from '#storage/database.ts';
import { createGroupCommit } from '#storage/group-commit.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { migrate } from '#storage/migrations.ts';
import { makePrivate } from '#storage/private-file.ts';
import type { Schema } from '#storage/schema.ts';

const statementCacheSize = 200;

export async function openSqlite(path: string): Promise<Database> {
  const native = openFile(path);
  const db = new Kysely<Schema>({ dialect: createDialect(native) });
  await migrate(db);
  return {
    engine: 'sqlite',
    tables: createTables(db),
    connection: db,
    transaction: createGroupCommit(db),
    aheadMs: () => 0,
    async ping() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}

/** Names the setting, because the errors of the system and of SQLite do not. */
function openFile(path: string): DatabaseSync {
  try {
    makeFolder(dirname(path));
    makePrivate(path);
    const native = new DatabaseSync(path, { timeout: 5_000, enableForeignKeyConstraints: true });
    native.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -8192; pragma temp_store = memory; pragma wal_autocheckpoint = 4000;' +
        // On macOS an ordinary sync leaves the bytes in the cache of the disk; elsewhere this changes nothing.
        'pragma fullfsync = on; pragma checkpoint_fullfsync = on',
    );
    return native;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`DATA_DIR: the database ${path} cannot be opened (${message})`, { cause: error });
  }
}

function createDialect(native: DatabaseSync): Dialect {
  return {
    createDriver: () => createDriver(native),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createAdapter: () => new TransactionalDdlAdapter(),
  };
}

/** SQLite runs schema changes inside transactions; with BEGIN IMMEDIATE two processes cannot migrate at once. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** One connection, used by one caller at a time, so that no other statements mix into a transaction. */
function createDriver(native: DatabaseSync): Driver {
  const connection = createConnection(native);
  let holder: PromiseWithResolvers<void> | undefined;
  let last: PromiseWithResolvers<void> | undefined;
  const run = async (statement: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(statement));
  };
  return {
    init: async () => {},
    async acquireConnection() {
      const previous = last;
      const mine = Promise.withResolvers<void>();
      last = mine;
      await previous?.promise;
      holder = mine;
      return connection;
    },
    releaseConnection: async () => holder?.resolve(),
    // IMMEDIATE takes the write lock at once: a deferred transaction fails half-way if another process wrote in between.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    rollbackTransaction: () => run('rollback'),
    destroy: async () => native.close(),
  };
}

function createConnection(native: DatabaseSync): DatabaseConnection {
  const statements = createBoundedMap<string, { statement: StatementSync; returnsRows: boolean }>(
    statementCacheSize,
  );

  function prepare(text: string) {
    const known = statements.get(text);
    if (known) return known;
    const statement = native.prepare(text);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    statements.set(text, prepared);
    return prepared;
  }

  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { statement, returnsRows } = prepare(query.sql);
      const parameters = query.parameters as (string | number | bigint | null | Uint8Array)[];
      if (returnsRows) return { rows: statement.all(...parameters) as R[] };
      const { changes } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    },
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      const { statement } = prepare(query.sql);
      for (const row of statement.iterate(...(query.parameters as string[]))) yield { rows: [row as R] };
    },
  };
}
