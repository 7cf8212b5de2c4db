// Transactions that share a commit succeed or fail independently, and all of them fail if the commit fails.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { Kysely, sql, SqliteDialect, type SqliteDatabase } from 'kysely';
import { UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import { createGroupCommit } from '#storage/group-commit.ts';
import type { Schema } from '#storage/schema.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';
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

test('a transaction ends when its commit is on disk, a relaxed one before; both are visible at once', async () => {
  await newAccount('passing');
  const own = new DatabaseSync(file);
  const dialect = new SqliteDialect({ database: driverOf(own) });
  await using db = new Kysely<Schema>({ dialect });
  const connection = await db.getExecutor().provideConnection(async (lent) => lent);
  const syncs: PromiseWithResolvers<void>[] = [];
  const wal = {
    sync() {
      const held = Promise.withResolvers<void>();
      syncs.push(held);
      return held.promise;
    },
    close: async () => {},
  };
  const transaction = createGroupCommit(db, { dialect, connection, wal });
  await transaction(take('passing'), { durability: 'relaxed' });
  await assert.rejects(
    transaction(() => Promise.reject(new Error('thrown')), { durability: 'relaxed' }),
    /thrown/,
  );
  assert.deepEqual([await used('passing'), syncs.length], [1, 0]);

  const ended: string[] = [];
  const together = [
    transaction(take('passing'), { durability: 'relaxed' }).then(() => ended.push('relaxed')),
    transaction(take('passing')).then(() => ended.push('full')),
  ];
  await waitFor('the sync of the group', () => syncs.length === 1);
  assert.deepEqual([await used('passing'), ended], [3, []]);
  syncs[0]?.resolve();
  await Promise.all(together);
  assert.deepEqual([ended, syncs.length], [['relaxed', 'full'], 1]);

  const unknown = transaction(take('passing'));
  await waitFor('the next sync', () => syncs.length === 2);
  syncs[1]?.reject(new Error('the disk is gone'));
  await assert.rejects(unknown, UnknownOutcomeError);
});

test('whatever changes the database ends when the disk has it', async () => {
  const folder = await temporaryFolder();
  const script = join(folder.path, 'writes.ts');
  // Node's trace has every call that its threads made for files, in order. A look at the folder marks the end of each piece of work.
  await writeFile(
    script,
    `import { access } from 'node:fs/promises';
     import { openSqlite } from ${JSON.stringify(join(import.meta.dirname, '../../src/storage/sqlite.ts'))};
     const { tables, connection, transaction, close } = await openSqlite('own.db');
     const set = (on, value) => on.settings.write('name', value);
     const works = [
       () => tables.settings.read(['name']),
       () => transaction((own) => set(own, 'a'), { durability: 'relaxed' }),
       () => set(tables, 'b'),
       () => transaction((own) => set(own, 'c')),
       () => connection.transaction().execute((own) => own.updateTable('settings').set({ value: 'd' }).execute()),
     ];
     for (const work of works) {
       await work();
       await access('.');
     }
     await close();`,
  );
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--trace-event-categories', 'node.fs.async', script],
    { cwd: folder.path, encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  const { traceEvents } = JSON.parse(await readFile(join(folder.path, 'node_trace.1.log'), 'utf8')) as {
    traceEvents: { name: string; ph: string; ts: number }[];
  };
  await folder.remove();
  const calls = traceEvents
    .filter(({ name, ph }) => (name === 'fdatasync' && ph === 'e') || (name === 'access' && ph === 'b'))
    .toSorted((one, other) => one.ts - other.ts)
    .map(({ name }) => name);
  const [sync, end] = ['fdatasync', 'access'];
  assert.deepEqual(calls, [end, end, sync, end, sync, end, sync, end]);
});

test('checkpoints reach the disk itself, also on macOS, where an ordinary sync stops at its cache', async () => {
  const { connection } = database;
  const settings = [
    (await sql`pragma synchronous`.execute(connection)).rows,
    (await sql`pragma fullfsync`.execute(connection)).rows,
    (await sql`pragma checkpoint_fullfsync`.execute(connection)).rows,
  ];
  assert.deepEqual(
    settings.map(([row]) => Object.values(row as object)),
    [[1], [1], [1]],
  );
});
