// Commits SQLite transactions that arrive at the same moment as one group: one fsync, and pages that several of them touch are
// written once. Each has its own savepoint and succeeds or fails independently; none resolves before the group's commit is on
// disk.
import { CompiledQuery, DefaultQueryExecutor, Kysely, type DatabaseConnection, type Dialect } from 'kysely';
import { createTables, UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import type { Schema } from '#storage/schema.ts';
import type { WalSync } from '#storage/wal-sync.ts';

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

/** `connection` is the one that writes. A group takes it from `db` once, for all its statements. */
export function createGroupCommit(
  db: Kysely<Schema>,
  { dialect, connection, wal }: { dialect: Dialect; connection: DatabaseConnection; wal: WalSync },
): Database['transaction'] {
  const tables = createTables(withoutLocks(dialect, connection));
  const waiting: Member[] = [];
  let isRunning = false;

  function runNext(): void {
    const members = waiting.splice(0, maxMembers);
    isRunning = members.length > 0;
    if (isRunning) runGroup(members).then(runNext, runNext);
  }

  async function runGroup(members: Member[]): Promise<void> {
    try {
      const { settles, durable } = await db.connection().execute((lent) => runTogether(lent, members));
      await durable?.catch((cause: unknown) => {
        throw new UnknownOutcomeError('the commit could not be synced', { cause });
      });
      for (const settle of settles) settle();
    } catch (error) {
      for (const { reject } of members) reject(error);
    }
  }

  /**
   * Its first statement takes the connection from those who lend it. While the commit goes to the disk, others may have the connection. If
   * all are relaxed, nobody waits for the disk: the WAL is written in order, so the next sync makes this commit durable too.
   */
  async function runTogether(lent: Kysely<Schema>, members: Member[]) {
    try {
      await lent.executeQuery(begin);
      const runOne = members.length === 1 ? runAlone : runBesideOthers;
      const settles: Settle[] = [];
      for (const member of members) settles.push(await runOne(member));
      await run(commit);
      return { settles, durable: members.every(({ isRelaxed }) => isRelaxed) ? undefined : wal.sync() };
    } catch (error) {
      // Fails if SQLite has rolled back by itself.
      await run(rollBack).catch(() => {});
      throw error;
    }
  }

  /** If it fails, the whole transaction does. */
  async function runAlone({ work, resolve }: Member): Promise<Settle> {
    const value = await work(tables);
    return () => resolve(value);
  }

  async function runBesideOthers({ work, resolve, reject }: Member): Promise<Settle> {
    let settle: Settle;
    await run(savepoint);
    try {
      const value = await work(tables);
      settle = () => resolve(value);
    } catch (error) {
      // If SQLite has rolled back everything itself, as on a full disk, the savepoint is gone and the whole group fails.
      await run(rollBackMember).catch(() => Promise.reject(error));
      settle = () => reject(error);
    }
    await run(release);
    return settle;
  }

  const run = (query: CompiledQuery) => connection.executeQuery(query);

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

/** Kysely would lend the connection anew for each statement, which costs more than a small statement. */
function withoutLocks(dialect: Dialect, connection: DatabaseConnection): Kysely<Schema> {
  const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
    provideConnection: (use) => use(connection),
  });
  return new Kysely({ config: { dialect }, dialect, driver: dialect.createDriver(), executor });
}
