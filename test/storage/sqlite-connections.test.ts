// Which connection to SQLite a statement takes: reads wait for no commit, see all that was committed before, and run off the event loop
// if they may be long.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import type { Database } from '#storage/database.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { mayReadMany } from '#storage/sqlite-connections.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { accountRow, uploadRow } from '#test/storage/rows.ts';

let path: string;
let remove: () => Promise<void>;
let database: Database;
/** Threads that were started since the test began. */
let threads: Worker[] = [];
const noteThread = (worker: Worker): void => void threads.push(worker);
before(() => process.on('worker', noteThread));
after(() => process.off('worker', noteThread));
beforeEach(async () => {
  threads = [];
  const folder = await temporaryFolder();
  remove = folder.remove;
  path = join(folder.path, 'tintype.db');
  database = await openSqlite(path);
});
afterEach(async () => {
  await database.close();
  await remove();
});

const page = { after: undefined, limit: 10 };
const account = accountRow({ id: 'account' });
const add = () => database.tables.accounts.insert(account);
const list = async () =>
  (await database.tables.ownedBy(account.id).uploads.page({}, page, 0)).map(({ filename }) => filename);
const lookUp = () => database.tables.accounts.byId(account.id);

test('neither a list nor a look-up waits for a commit that is under way, or sees what it has not committed', async () => {
  await add();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const commit = database.transaction(async (tables) => {
    await tables.uploads.insert(uploadRow(account.id, { filename: 'new.png' }));
    await tables.accounts.update(account.id, { suspended: 1 });
    begin();
    await held;
  });
  await begun;
  assert.deepEqual([await list(), (await lookUp())?.suspended], [[], 0]);
  release();
  await commit;
  assert.deepEqual([await list(), (await lookUp())?.suspended], [['new.png'], 1]);
});

test('a read sees every write that was answered before it, however it was written', async () => {
  await add();
  for (let round = 1; round <= 50; round += 1) {
    const row = uploadRow(account.id, { created_at: round, filename: `${round}.png` });
    if (round % 2 === 0) await database.tables.uploads.insert(row);
    else await database.transaction((tables) => tables.uploads.insert(row), { durability: 'relaxed' });
    assert.equal((await list())[0], row.filename);
    assert.equal((await database.tables.uploads.byId(row.id))?.filename, row.filename);
  }
});

test('a transaction reads what it has written', async () => {
  await add();
  const seen = await database.transaction(async (tables) => {
    await tables.uploads.insert(uploadRow(account.id, { filename: 'own.png' }));
    return tables.ownedBy(account.id).uploads.page({}, page, 0);
  });
  assert.deepEqual(
    seen.map(({ filename }) => filename),
    ['own.png'],
  );
});

test('lists, sums and counts run in a thread, which starts with the first of them; look-ups run here', async () => {
  const { all } = StatementSync.prototype;
  const here: string[] = [];
  StatementSync.prototype.all = function (this: StatementSync, ...values) {
    here.push(this.sourceSQL);
    return Reflect.apply(all, this, values);
  } as typeof all;
  try {
    const { uploads, albums } = database.tables.ownedBy(account.id);
    await lookUp();
    assert.equal(here.splice(0).length, 1);
    assert.equal(threads.length, 0);
    await list();
    await uploads.page({ search: 'abc' }, page, 0, 'largest');
    await uploads.totals({}, 0);
    await uploads.idsOf({}, 0);
    await uploads.tags(0, 10);
    await albums.page(page, 0);
    await albums.count();
    assert.deepEqual(here, []);
    assert.equal(threads.length, 1);
  } finally {
    StatementSync.prototype.all = all;
  }
});

test('a read that fails says why, with the stack of its caller; so does one after the end of the thread, and the next works', async () => {
  await add();
  const failing = () => sql`select missing from accounts order by id`.execute(database.connection);
  async function callerOfReads(): Promise<void> {
    await failing();
  }
  await assert.rejects(callerOfReads(), (error: Error) => {
    assert.match(error.message, /no such column: missing/);
    assert.match(String(error.stack), /callerOfReads/);
    return true;
  });
  const [first] = threads;
  const lost = list();
  await first?.terminate();
  await assert.rejects(lost, /the thread that reads the database exited/);
  assert.deepEqual([await list(), threads.length], [[], 2]);
});

test('closing waits for the reads, and leaves one file', async () => {
  await add();
  await lookUp();
  const reads = [list(), list(), list()];
  await reads[0];
  await database.close();
  assert.deepEqual(await Promise.all(reads), [[], [], []]);
  await assert.rejects(list(), /destroyed|closed/);
  assert.equal(existsSync(`${path}-wal`), false);
});

test('what may read many rows sorts, counts, adds up or limits them, at its top or where it reads from', () => {
  const many = [
    'select * from t order by a',
    'select count(*) from t where a = ?',
    'select id from t where a = ? limit ?',
    'select id from (select * from t limit 5) as t',
    'select a from t where b in (select b from u) group by a',
  ];
  const few = [
    'select * from t where id = ?',
    '\n  select *, (select d from p where p.id in (a, (b)) order by d limit 1) as d from t where key = ?',
    'select id from t where id in (?, ?, ?)',
  ];
  assert.deepEqual(many.filter(mayReadMany), many);
  assert.deepEqual(few.filter(mayReadMany), []);
});
