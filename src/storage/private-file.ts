// Makes a file readable only by the service's user: the database holds the secret that signs sessions.
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';

/** Creates the file if it does not exist. SQLite gives the WAL files the mode of the database file. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) setPrivate(file);
  }
}

function setPrivate(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    // Another user's file, or a file system without modes: access is decided by whoever mounted it, and `doctor` reports it.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
