// Files that only the service's own user may read: the database holds the secret that signs sessions.
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';

/** Makes the file if it is not there. SQLite gives the files beside a database the mode of the database. */
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
    // The file of another user, or a file system without modes: whoever mounted it decides who reads it, and `doctor` tells.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
