// Commits SQLite transactions that arrive at the same moment as one group: one fsync, and pages that several of them touch are
// written once. Each has its own savepoint and succeeds or fails independently; none resolves before the group's commit is on
// disk.
import { CompiledQuery, sql, type Kysely } from 'kysely';
import { createTables, type Database, type Tables } from '#storage/database.ts';
import type { Schema } from '#storage/schema.ts';

/** Bounded, so that others get the connection soon. */
const largestGroup = 32;

/** One transaction of the group. Its caller's promise settles when the group has committed or failed. */
interface Member {
  isRelaxed: boolean;
  run(tables: Tables): Promise<void>;
  settle(): void;
  fail(error: unknown): void;
}

export function createGroupCommit(db: Kysely<Schema>): Database['transaction'] {
  let waiting: Member[] = [];
  let isRunning = false;

  async function runGroups(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const members = waiting.slice(0, largestGroup);
      waiting = waiting.slice(largestGroup);
      await runGroup(members);
    }
    isRunning = false;
  }

  function startGroups(): void {
    runGroups().catch((error: unknown) => {
      isRunning = false;
      for (const member of waiting.splice(0)) member.fail(error);
    });
  }

  async function runGroup(members: Member[]): Promise<void> {
    try {
      const run = (connection: Kysely<Schema>) => runTogether(connection, members);
      await db.connection().execute(members.every(({ isRelaxed }) => isRelaxed) ? withoutWaiting(run) : run);
      for (const member of members) member.settle();
    } catch (error) {
      for (const member of members) member.fail(error);
    }
  }

  return <T>(work: (tables: Tables) => Promise<T>, { durability = 'full' } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let settle: (() => void) | undefined;
    waiting.push({
      isRelaxed: durability === 'relaxed',
      async run(tables) {
        try {
          const value = await work(tables);
          settle = () => resolve(value);
        } catch (error) {
          settle = () => reject(error);
          throw error;
        }
      },
      settle: () => settle?.(),
      fail: reject,
    });
    // Deferred, so that all transactions from this turn of the event loop join the group.
    if (!isRunning && waiting.length === 1) setImmediate(startGroups);
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

async function runTogether(db: Kysely<Schema>, members: Member[]): Promise<void> {
  const tables = createTables(db);
  await db.executeQuery(begin);
  try {
    for (const member of members) await runMember(member, tables, db);
    await db.executeQuery(commit);
  } catch (error) {
    // Fails if SQLite has rolled back by itself.
    await db.executeQuery(rollBack).catch(() => {});
    throw error;
  }
}

/** Skips fsync. The WAL is written in order, so the next full commit makes this one durable too. */
function withoutWaiting(run: (db: Kysely<Schema>) => Promise<void>): (db: Kysely<Schema>) => Promise<void> {
  return async (db) => {
    await sql`pragma synchronous = normal`.execute(db);
    try {
      await run(db);
    } finally {
      await sql`pragma synchronous = full`.execute(db);
    }
  };
}

async function runMember(member: Member, tables: Tables, db: Kysely<Schema>): Promise<void> {
  await db.executeQuery(savepoint);
  try {
    await member.run(tables);
  } catch (error) {
    // If SQLite has rolled back everything itself, as on a full disk, the savepoint is gone and the whole group fails.
    await db.executeQuery(rollBackMember).catch(() => Promise.reject(error));
  }
  await db.executeQuery(release);
}
