// The worker thread that writes small blobs: a group of changes in; an answer when it is on disk, or why it is not.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export interface SmallChange {
  key: string;
  /** Where its bytes end in the memory of the group; they begin where those of the change before end. Without it the blob is deleted. */
  end?: number;
}

export interface SmallChanges {
  list: SmallChange[];
  memory: Uint8Array;
}

const database = new DatabaseSync(workerData as string, { timeout: 5_000 });
database.exec(`
  pragma synchronous = full;
  pragma wal_autocheckpoint = 4000;
  pragma fullfsync = on;
  pragma checkpoint_fullfsync = on`);
const insert = database.prepare('insert or replace into blobs (key, bytes) values (?, ?)');
const remove = database.prepare('delete from blobs where key = ?');

parentPort?.on('message', (changes: SmallChanges | 'close') => {
  if (changes === 'close') {
    database.close();
    parentPort?.close();
  } else parentPort?.postMessage(problemOf(changes), []);
});

function problemOf({ list, memory }: SmallChanges): unknown {
  try {
    database.exec('begin immediate');
    let start = 0;
    for (const { key, end } of list) {
      if (end === undefined) remove.run(key);
      else insert.run(key, memory.subarray(start, end));
      start = end ?? start;
    }
    database.exec('commit');
    return null;
  } catch (problem) {
    // SQLite may have rolled back by itself, as on a full disk.
    if (database.isTransaction) database.exec('rollback');
    return problem;
  }
}
