// Transactions of SQLite that come in at the same moment are committed together: one wait for the disk, and pages that all of
// them touch are written once. Each still stands or falls alone, behind a savepoint, and none is told that it stands before
// the commit of all is on the disk.
import { sql, type Kysely } from 'kysely';
import { createTables, type Database, type Tables } from '#storage/database.ts';
import type { Schema } from '#storage/schema.ts';

/** So that whoever waits for the connection gets it soon. */
const largestGroup = 32;

/** Runs within the group's transaction; settles the promise of its caller when the group has committed, or has not. */
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
    // Not at once: everything that this turn of the event loop has ready can come along.
    if (!isRunning && waiting.length === 1) setImmediate(() => void runGroups());
    return promise;
  };
}

function runTogether(db: Kysely<Schema>, members: Member[]): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const tables = createTables(transaction);
    for (const member of members) await runMember(member, tables, transaction);
  });
}

/** The next commit that does wait takes this one to the disk with it: the log is written in order. */
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

async function runMember(member: Member, tables: Tables, transaction: Kysely<Schema>): Promise<void> {
  await sql`savepoint member`.execute(transaction);
  try {
    await member.run(tables);
  } catch (error) {
    // Where SQLite has undone everything by itself, as on a full disk, there is no savepoint left, and all have failed.
    await sql`rollback to member`.execute(transaction).catch(() => Promise.reject(error));
  }
  await sql`release member`.execute(transaction);
}
