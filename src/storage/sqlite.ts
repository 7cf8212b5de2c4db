// SQLite as the database of one machine, through Node's built-in driver. WAL lets the command line write while the server runs;
// wal-sync.ts makes acknowledged writes survive a power cut.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import {
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  sql,
  type Dialect,
  type SqliteDatabase,
  type SqliteStatement,
} from 'kysely';
import { createBoundedMap } from '#core/bounded-map.ts';
import { createTimings, type OnTiming } from '#core/timings.ts';
import { createTables, type Database } from '#storage/database.ts';
import { createGroupCommit } from '#storage/group-commit.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { migrate } from '#storage/migrations.ts';
import { makePrivate } from '#storage/private-file.ts';
import type { Schema } from '#storage/schema.ts';
import { createConnections } from '#storage/sqlite-connections.ts';
import { createWalSync } from '#storage/wal-sync.ts';

const maxStatements = 200;

export const hasSqlite = (file: string): boolean => existsSync(file);

export async function openSqlite(path: string): Promise<Database> {
  const native = openFile(path);
  const timings = createTimings();
  const writing = new NodeSqliteDialect({ database: createDriver(native, timings.note) });
  const writer = new Kysely<Schema>({ dialect: writing });
  await migrate(writer);
  const wal = createWalSync(path);
  const isInTransaction = () => native.isTransaction;
  const db = new Kysely<Schema>({
    dialect: readingBeside(writing, { path, note: timings.note, wal, isInTransaction }),
  });
  const connection = await writer.getExecutor().provideConnection(async (own) => own);
  const transaction = createGroupCommit(db, { dialect: writing, connection, wal });
  return {
    engine: 'sqlite',
    tables: createTables(db),
    connection: db,
    timings,
    transaction,
    transactionOf: (_accountId, work, options) => transaction(work, options),
    aheadMs: () => 0,
    async ping() {
      await sql`select 1`.execute(db);
    },
    async close() {
      await db.destroy();
      await wal.close();
      // Last: it writes the WAL into the database, which connections that read cannot.
      await writer.destroy();
    },
  };
}

/** Names the setting, because the errors of the system and of SQLite do not. */
function openFile(path: string): DatabaseSync {
  try {
    makeFolder(dirname(path));
    makePrivate(path);
    const native = new DatabaseSync(path, { timeout: 5_000, enableForeignKeyConstraints: true });
    native.exec(
      'pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -8192; pragma temp_store = memory; pragma wal_autocheckpoint = 4000;' +
        // On macOS an ordinary sync leaves the bytes in the cache of the disk; elsewhere this changes nothing.
        'pragma fullfsync = on; pragma checkpoint_fullfsync = on',
    );
    return native;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`DATA_DIR: the database ${path} cannot be opened (${message})`, { cause: error });
  }
}

/** SQLite runs schema changes inside transactions; with BEGIN IMMEDIATE two processes cannot migrate at once. */
class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter();
  }
}

/** The same with connections that read. Migrations do without, and run one statement after the other. */
const readingBeside = (writing: SqliteDialect, parts: Parameters<typeof createConnections>[1]): Dialect => ({
  createDriver: () => createConnections(writing.createDriver(), parts),
  createAdapter: () => writing.createAdapter(),
  createQueryCompiler: () => writing.createQueryCompiler(),
  createIntrospector: (db) => writing.createIntrospector(db),
});

/** Node's driver as Kysely calls it, with a cache of prepared statements. */
function createDriver(native: DatabaseSync, note: OnTiming): SqliteDatabase {
  const statements = createBoundedMap<string, SqliteStatement>(maxStatements);

  function prepare(text: string): SqliteStatement {
    // IMMEDIATE takes the write lock at once: a deferred transaction fails half-way if another process wrote in between.
    const statement = native.prepare(text === 'begin' ? 'begin immediate' : text);
    const operation = text === 'commit' ? text : 'query';
    const timed =
      <T>(work: (...values: SQLInputValue[]) => T) =>
      (values: readonly unknown[]): T => {
        const startedAt = performance.now();
        try {
          return work(...(values as SQLInputValue[]));
        } finally {
          note(operation, performance.now() - startedAt);
        }
      };
    return {
      reader: statement.columns().length > 0,
      all: timed((...values) => statement.all(...values)),
      run: timed((...values) => statement.run(...values)),
      iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
    };
  }

  return {
    prepare(text) {
      const known = statements.get(text);
      if (known) return known;
      const prepared = prepare(text);
      statements.set(text, prepared);
      return prepared;
    },
    close: () => native.close(),
  };
}
