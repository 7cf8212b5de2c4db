// Which connection to a SQLite database a statement takes: this is the only place that decides. One connection writes, and is lent to one
// caller at a time. A select outside a transaction takes one that only reads: a look-up by key needs microseconds and runs here; what
// may read many rows runs in a thread, off the event loop.
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { createBoundedMap } from '#core/bounded-map.ts';
import { timed, type OnTiming } from '#core/timings.ts';
import { openReadConnection, type Read, type ReadConnection } from '#storage/read-connection.ts';
import { createReadThread } from '#storage/read-thread.ts';
import type { WalSync } from '#storage/wal-sync.ts';

/** How many texts of statements are remembered. */
const maxTexts = 200;

/** What a caller of Kysely holds. It takes the connection that writes with its first statement that is not a select, and keeps it. */
interface Held extends DatabaseConnection {
  freeWriter(): Promise<void>;
}

/** The driver as Kysely calls it. A change outside a transaction, and a commit, end when they are on disk. */
export function createConnections(
  writing: Driver,
  {
    path,
    note,
    wal,
    isInTransaction,
  }: {
    path: string;
    note: OnTiming;
    wal: WalSync;
    /** Whether the connection that writes is. */
    isInTransaction: () => boolean;
  },
): Driver {
  const reads = createReads(path, note);
  let lastUse = Promise.resolve();

  /** Resolves when the connection that writes is free, to what frees it again. */
  async function takeWriter(): Promise<() => void> {
    const before = lastUse;
    const { promise, resolve: free } = Promise.withResolvers<void>();
    lastUse = promise;
    await before;
    return free;
  }

  async function hold(): Promise<Held> {
    const writer = await writing.acquireConnection();
    let taken: Promise<() => void> | undefined;
    return {
      async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        if (!taken && isSelect(query.sql)) return { rows: (await reads.rowsOf(query)) as Row[] };
        taken ??= takeWriter();
        await taken;
        const result = await writer.executeQuery<Row>(query);
        if (!isInTransaction()) await wal.sync();
        return result;
      },
      streamQuery() {
        throw new Error('rows are not streamed; read them page by page');
      },
      freeWriter: async () => (await taken)?.(),
    };
  }

  return {
    init: (options) => writing.init(options),
    acquireConnection: hold,
    releaseConnection: (held) => (held as Held).freeWriter(),
    beginTransaction: (held, settings) => writing.beginTransaction(held, settings),
    commitTransaction: (held) => writing.commitTransaction(held),
    rollbackTransaction: (held) => writing.rollbackTransaction(held),
    destroy: () => reads.close(),
  };
}

function createReads(path: string, note: OnTiming) {
  const thread = createReadThread(path);
  let lookUps: ReadConnection | undefined;
  let isClosed = false;
  const known = createBoundedMap<string, boolean>(maxTexts);

  function isLong(sql: string): boolean {
    let answer = known.get(sql);
    if (answer === undefined) known.set(sql, (answer = mayReadMany(sql)));
    return answer;
  }

  async function run(read: Read): Promise<unknown[]> {
    if (isClosed) throw new Error('the database is closed');
    if (isLong(read.sql)) return thread.rowsOf(read);
    lookUps ??= openReadConnection(path);
    return lookUps.rowsOf(read);
  }

  return {
    rowsOf: (read: Read): Promise<unknown[]> => timed(note, 'query', () => run(read)),
    async close(): Promise<void> {
      isClosed = true;
      lookUps?.close();
      await thread.close();
    },
  };
}

const isSelect = (sql: string): boolean => /^\s*select\b/.test(sql);

/** Whether it sorts, counts, adds up or limits its rows, or those of a select that it reads from. A look-up by key does nothing of that. */
export function mayReadMany(sql: string): boolean {
  if (/\b(?:from|join)\s*\(/.test(sql)) return true;
  let outer = sql;
  for (let before = ''; before !== outer;) {
    before = outer;
    outer = outer.replace(/\([^()]*\)/g, '');
  }
  return /\b(?:order by|group by|limit|count|sum)\b/.test(outer);
}
