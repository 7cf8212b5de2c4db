// Makes the commits of SQLite survive a power cut, off the event loop. SQLite writes each commit into its WAL and, with `synchronous` at
// NORMAL, leaves it to the system when that reaches the disk. At FULL it would sync the same file in the same place, but on the thread that
// answers requests.
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const syncAsync = promisify(fdatasync);

export type WalSync = ReturnType<typeof createWalSync>;

export function createWalSync(path: string) {
  // SQLite holds no locks on this file, which closing it would end, and keeps it as long as the database is open.
  let descriptor: number | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    next = undefined;
    descriptor ??= openSync(`${path}-wal`, 'r');
    running = syncAsync(descriptor);
    return running;
  }

  return {
    /** Called in the same turn as a commit. Resolves when it is on disk. A sync that runs already may have missed it. */
    sync(): Promise<void> {
      next ??= (running ?? Promise.resolve()).then(start, start);
      return next;
    },
    async close(): Promise<void> {
      await (next ?? running)?.catch(() => {});
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}
