// Small blobs, in a SQLite database of their own. One sync makes all durable that arrive meanwhile; a file takes
// two, and eight calls. A thread writes, because it waits for the disk.
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { isBlobKey } from '#core/ids.ts';
import { startThread } from '#core/threads.ts';
import type { StoredBlob } from '#storage/blobs.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { makePrivate } from '#storage/private-file.ts';
import { openReadConnection, type ReadConnection } from '#storage/read-connection.ts';
import type { SmallChange, SmallChanges } from '#storage/small-blobs-worker.ts';

/** Larger ones cost less as files. */
export const maxSmallBytes = 16 * 1024;
/** Bounded, so that a commit ends soon. */
const maxChanges = 256;
const listedAtOnce = 500;

/** In the data folder, beside the database: the files may be on a network disk, where SQLite cannot lock. */
export const smallUploadsName = 'small-uploads.db';

interface Waiting {
  key: string;
  /** Undefined if the blob is to be deleted. */
  bytes: Buffer | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

export function createSmallBlobs(file: string) {
  prepareSmallBlobs(file);
  let reads: ReadConnection | undefined;
  const changes = createChanges(file);
  const rowsOf = <Row>(sql: string, ...parameters: unknown[]): Row[] => {
    reads ??= openReadConnection(file);
    return reads.rowsOf({ sql, parameters }) as Row[];
  };

  return {
    read(key: string): Buffer | undefined {
      const [row] = rowsOf<{ bytes: Uint8Array }>('select bytes from blobs where key = ?', key);
      return row && Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
    },
    /** Resolves when the bytes are on disk. */
    write: (key: string, bytes: Buffer): Promise<void> => changes.add(key, bytes),
    /** Does nothing if there is no such blob. */
    async delete(key: string): Promise<void> {
      if (rowsOf('select 1 from blobs where key = ?', key).length > 0) await changes.add(key, undefined);
    },
    *list(): Generator<StoredBlob[]> {
      for (let after = 0; ;) {
        const rows = rowsOf<{ place: number; key: string; modifiedAt: number }>(
          `select rowid as place, key, stored_at as modifiedAt from blobs where rowid > ? order by rowid limit ${listedAtOnce}`,
          after,
        );
        if (rows.length === 0) return;
        yield rows.filter(({ key }) => isBlobKey(key)).map(({ key, modifiedAt }) => ({ key, modifiedAt }));
        after = rows.at(-1)!.place;
      }
    },
    /** After the changes that are under way. */
    async close(): Promise<void> {
      // First: the last connection writes the WAL into the database, which one that reads cannot.
      reads?.close();
      reads = undefined;
      await changes.close();
    },
  };
}

/** Makes the database if there is none. A copy is one file, without those of a WAL. */
function prepareSmallBlobs(file: string, { isCopy = false } = {}): void {
  makeFolder(dirname(file));
  makePrivate(file);
  using database = new DatabaseSync(file, { timeout: 5_000 });
  // The file shrinks when blobs are deleted, as a folder of files does.
  database.exec(`
    pragma auto_vacuum = full;
    pragma journal_mode = ${isCopy ? 'delete' : 'wal'};
    create table if not exists blobs (
      key text not null unique,
      bytes blob not null,
      stored_at integer not null default (cast(unixepoch('subsec') * 1000 as integer))
    )`);
}

/**
 * Copies what `to` does not have. A mirror then has nothing else: a backup, as opposed to what is restored. Returns how many blobs `from`
 * has, and how many of them were copied.
 */
export function copySmallBlobs(
  from: string,
  to: string,
  { isMirror }: { isMirror: boolean },
): { files: number; newFiles: number } {
  prepareSmallBlobs(to, { isCopy: isMirror });
  using database = new DatabaseSync(to, { timeout: 5_000 });
  database.prepare('attach ? as source').run(from);
  database.exec('begin immediate');
  const [{ files } = { files: 0 }] = database.prepare('select count(*) as files from source.blobs').all();
  if (isMirror) database.exec('delete from main.blobs where key not in (select key from source.blobs)');
  const { changes } = database
    .prepare(
      `insert or ignore into main.blobs (key, bytes, stored_at)
       select key, bytes, stored_at from source.blobs where key not in (select key from main.blobs)`,
    )
    .run();
  database.exec('commit');
  return { files: Number(files), newFiles: Number(changes) };
}

/** Changes go to the thread in groups: all that came while it committed the group before. */
function createChanges(file: string) {
  let thread: Worker | undefined;
  const waiting: Waiting[] = [];
  let underWay: Waiting[] = [];
  let isPlanned = false;
  let newest: Promise<void> | undefined;

  function plan(): void {
    if (isPlanned || underWay.length > 0 || waiting.length === 0) return;
    isPlanned = true;
    // Deferred, so that all changes from this turn of the event loop join the group.
    setImmediate(send);
  }

  function send(): void {
    isPlanned = false;
    underWay = waiting.splice(0, maxChanges);
    thread ??= start();
    // A command that waits for its changes must not end.
    thread.ref();
    const { changes, memory } = joined(underWay);
    thread.postMessage(changes, [memory]);
  }

  function settle(failure: Error | undefined): void {
    const settled = underWay;
    underWay = [];
    if (waiting.length === 0) thread?.unref();
    plan();
    for (const { resolve, reject } of settled) {
      if (failure) reject(failure);
      else resolve();
    }
  }

  function start(): Worker {
    const started = startThread('small-blobs', { workerData: file });
    let failure: Error | undefined;
    started.on('message', (problem: Error | null) => settle(problem ?? undefined));
    started.on('error', (error: Error) => (failure = error));
    // The next change starts another.
    started.on('exit', (code) => {
      thread = undefined;
      settle(failure ?? new Error(`the thread that writes small blobs exited with ${code}`));
    });
    return started;
  }

  return {
    add(key: string, bytes: Buffer | undefined): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ key, bytes, resolve, reject });
      newest = promise;
      plan();
      return promise;
    },
    async close(): Promise<void> {
      // Changes end in their order.
      await newest?.catch(() => {});
      const ending = thread;
      if (!ending) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      ending.once('exit', () => resolve()).ref();
      ending.postMessage('close', []);
      await promise;
    },
  };
}

/** All bytes in one piece of memory, which the thread takes over instead of copying it. */
function joined(group: Waiting[]): { changes: SmallChanges; memory: ArrayBuffer } {
  const size = group.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  const memory = Buffer.allocUnsafeSlow(size);
  let end = 0;
  const list = group.map(({ key, bytes }): SmallChange => {
    if (!bytes) return { key };
    bytes.copy(memory, end);
    end += bytes.length;
    return { key, end };
  });
  return { changes: { list, memory }, memory: memory.buffer };
}
