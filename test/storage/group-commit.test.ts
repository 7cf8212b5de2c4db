// Transactions that share a commit succeed or fail independently, and all of them fail if the commit fails.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { Kysely, sql, SqliteDialect, type DatabaseConnection, type SqliteDatabase } from 'kysely';
import type { Database, Tables } from '#storage/database.ts';
import { createGroupCommit } from '#storage/group-commit.ts';
import type { Schema } from '#storage/schema.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { accountRow } from '#test/storage/rows.ts';

let file: string;
let database: Database;
let other: DatabaseSync;
let remove: () => Promise<void>;
before(async () => {
  const folder = await temporaryFolder();
  remove = folder.remove;
  file = join(folder.path, 'tintype.db');
  database = await openSqlite(file);
  other = new DatabaseSync(file);
});
after(async () => {
  other.close();
  await database.close();
  await remove();
});

/** As Kysely calls it. */
const driverOf = (native: DatabaseSync): SqliteDatabase => ({
  prepare(text) {
    const statement = native.prepare(text);
    const given = (values: readonly unknown[]) => values as SQLInputValue[];
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...given(values)),
      run: (values) => statement.run(...given(values)),
      iterate: (values) => statement.iterate(...given(values)),
    };
  },
  close: () => native.close(),
});

const month = '2026-01';
const counter = (accountId: string) => ({ accountId, unit: 'upload', month }) as const;
const used = (accountId: string): Promise<number> =>
  database.tables.usage.read(counter(accountId)).then((usage) => usage.used);
/** Changes with every commit, as seen by another connection. */
const stamp = (): number => Number(other.prepare('pragma data_version').get()?.['data_version']);

async function newAccount(id: string): Promise<void> {
  await database.tables.accounts.insert(accountRow({ id, email: `${id}@example.com` }));
}

const take = (accountId: string) => (tables: Tables) => tables.usage.take(counter(accountId), 100, 100);

test('transactions that arrive together are committed together, each with its own result', async () => {
  await newAccount('together');
  const before = stamp();
  const answers = await Promise.all(Array.from({ length: 20 }, () => database.transaction(take('together'))));
  assert.deepEqual(
    answers.map((usage) => usage?.used),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  assert.equal(stamp() - before, 1);
});

test('a transaction that is alone writes nothing if it throws', async () => {
  await newAccount('alone');
  const failing = database.transaction(async (tables) => {
    await take('alone')(tables);
    throw new Error('on purpose');
  });
  await assert.rejects(failing, /on purpose/);
  assert.equal(await used('alone'), 0);
  await database.transaction(take('alone'));
  assert.equal(await used('alone'), 1);
});

test('transactions beyond the size of a group go into the next', async () => {
  await newAccount('many');
  await Promise.all(Array.from({ length: 80 }, () => database.transaction(take('many'))));
  assert.equal(await used('many'), 80);
});

test('a transaction that throws writes nothing and does not affect the others', async () => {
  await newAccount('thrown');
  const outcomes = await Promise.allSettled([
    database.transaction(take('thrown')),
    database.transaction(async (tables) => {
      await take('thrown')(tables);
      throw new Error('on purpose');
    }),
    database.transaction((tables) => tables.usage.take(counter('nobody'), 100, 100)),
    database.transaction(take('thrown')),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  assert.match(String((outcomes[1] as PromiseRejectedResult).reason), /on purpose/);
  assert.match(String((outcomes[2] as PromiseRejectedResult).reason), /FOREIGN KEY/);
  assert.equal(await used('thrown'), 2);
});

test('all transactions fail if the commit fails', async () => {
  await newAccount('lost');
  other.exec('create table broken (id text references accounts (id) deferrable initially deferred)');
  // The deferred foreign key that the trigger violates is checked only by the commit.
  other.exec(
    "create trigger breaks after update on usage_counters when new.month = '2026-02' begin insert into broken values ('x'); end",
  );
  const broken = { ...counter('lost'), month: '2026-02' };
  const outcomes = await Promise.allSettled([
    database.transaction(take('lost')),
    database.transaction((tables) => tables.usage.take(broken, 100, 100)),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await used('lost'), 0);
  await database.transaction(take('lost'));
  assert.equal(await used('lost'), 1);
});

test('a relaxed transaction is visible to everyone and skips fsync; in a group with others it waits as they do', async () => {
  await newAccount('passing');
  const levels: unknown[] = [];
  const own = new DatabaseSync(file);
  const dialect = new SqliteDialect({ database: driverOf(own) });
  await using db = new Kysely<Schema>({ dialect });
  const connection = await db.getExecutor().provideConnection(async (lent) => lent);
  const watched: DatabaseConnection = {
    async executeQuery(query) {
      if (['commit', 'rollback'].includes(query.sql))
        levels.push(own.prepare('pragma synchronous').get()?.['synchronous']);
      return connection.executeQuery(query);
    },
    streamQuery: () => assert.fail('nothing is streamed'),
  };
  const transaction = createGroupCommit(db, dialect, watched);
  const [normal, full] = [1, 2];
  const before = stamp();
  await transaction(take('passing'), { durability: 'relaxed' });
  await assert.rejects(
    transaction(() => Promise.reject(new Error('thrown')), { durability: 'relaxed' }),
    /thrown/,
  );
  assert.deepEqual(levels.splice(0), [normal, normal]);
  assert.equal(stamp() - before, 1);
  await Promise.all([transaction(take('passing'), { durability: 'relaxed' }), transaction(take('passing'))]);
  assert.deepEqual(levels, [full]);
  assert.equal(await used('passing'), 3);
});

test('a commit reaches the disk itself, also on macOS, where an ordinary sync stops at its cache', async () => {
  const { connection } = database;
  const settings = [
    (await sql`pragma synchronous`.execute(connection)).rows,
    (await sql`pragma fullfsync`.execute(connection)).rows,
    (await sql`pragma checkpoint_fullfsync`.execute(connection)).rows,
  ];
  assert.deepEqual(
    settings.map(([row]) => Object.values(row as object)),
    [[2], [1], [1]],
  );
});
