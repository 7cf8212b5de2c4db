// Commits SQLite transactions that arrive at the same moment as one group: one fsync, and pages that several of them touch are
// written once. Each has its own savepoint and succeeds or fails independently; none resolves before the group's commit is on
// disk.
import { CompiledQuery, sql, type Kysely } from 'kysely';
import { createTables, type Database, type Tables } from '#storage/database.ts';
import type { Schema } from '#storage/schema.ts';

/** Bounded, so that others get the connection soon. */
const maxMembers = 32;

/** One transaction of the group. Its caller's promise settles when the group has committed or failed. */
interface Member {
  isRelaxed: boolean;
  work(tables: Tables): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Settles the promise of a member. */
type Settle = () => void;

export function createGroupCommit(db: Kysely<Schema>): Database['transaction'] {
  const waiting: Member[] = [];
  let isRunning = false;

  function runNext(): void {
    const members = waiting.splice(0, maxMembers);
    isRunning = members.length > 0;
    if (isRunning) runGroup(members).then(runNext, runNext);
  }

  async function runGroup(members: Member[]): Promise<void> {
    try {
      const run = (connection: Kysely<Schema>) => runTogether(connection, members);
      const settles = await db
        .connection()
        .execute(members.every(({ isRelaxed }) => isRelaxed) ? withoutWaiting(run) : run);
      for (const settle of settles) settle();
    } catch (error) {
      for (const { reject } of members) reject(error);
    }
  }

  return <T>(work: (tables: Tables) => Promise<T>, { durability = 'full' } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    waiting.push({ isRelaxed: durability === 'relaxed', work, resolve, reject });
    // Deferred, so that all transactions from this turn of the event loop join the group.
    if (!isRunning && waiting.length === 1) setImmediate(runNext);
    return promise;
  };
}

// Compiled once: every group, or every member of one, runs them. IMMEDIATE as in sqlite.ts.
const begin = CompiledQuery.raw('begin immediate');
const commit = CompiledQuery.raw('commit');
const rollBack = CompiledQuery.raw('rollback');
const savepoint = CompiledQuery.raw('savepoint member');
const rollBackMember = CompiledQuery.raw('rollback to member');
const release = CompiledQuery.raw('release member');

async function runTogether(db: Kysely<Schema>, members: Member[]): Promise<Settle[]> {
  const tables = createTables(db);
  const settles: Settle[] = [];
  await db.executeQuery(begin);
  try {
    for (const member of members) settles.push(await runMember(member, tables, db));
    await db.executeQuery(commit);
    return settles;
  } catch (error) {
    // Fails if SQLite has rolled back by itself.
    await db.executeQuery(rollBack).catch(() => {});
    throw error;
  }
}

/** Skips fsync. The WAL is written in order, so the next full commit makes this one durable too. */
const withoutWaiting =
  <T>(run: (db: Kysely<Schema>) => Promise<T>) =>
  async (db: Kysely<Schema>): Promise<T> => {
    await sql`pragma synchronous = normal`.execute(db);
    try {
      return await run(db);
    } finally {
      await sql`pragma synchronous = full`.execute(db);
    }
  };

async function runMember(
  { work, resolve, reject }: Member,
  tables: Tables,
  db: Kysely<Schema>,
): Promise<Settle> {
  let settle: Settle;
  await db.executeQuery(savepoint);
  try {
    const value = await work(tables);
    settle = () => resolve(value);
  } catch (error) {
    // If SQLite has rolled back everything itself, as on a full disk, the savepoint is gone and the whole group fails.
    await db.executeQuery(rollBackMember).catch(() => Promise.reject(error));
    settle = () => reject(error);
  }
  await db.executeQuery(release);
  return settle;
}
