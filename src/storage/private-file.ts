// Makes a file readable only by the service's user: the database, because it holds the secret that signs sessions, and the owner's first key.
import { chmodSync, closeSync, existsSync, fchmodSync, fchownSync, openSync, writeFileSync } from 'node:fs';

const privateMode = 0o600;

/** Creates the file if it does not exist. SQLite gives the WAL files the mode of the database file. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', privateMode));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) asFarAsPossible(() => chmodSync(file, privateMode));
  }
}

/** For a secret that a person will read. */
export const writePrivate = (path: string, text: string): void =>
  writeFileSync(path, text, { mode: privateMode });

/** Takes an open file from the user who made it. Only root can; the files of others are the service's own already. */
export function makeDescriptorPrivate(descriptor: number): void {
  const user = process.geteuid?.();
  if (user !== 0) return;
  asFarAsPossible(() => fchownSync(descriptor, user, process.getegid?.() ?? 0));
  asFarAsPossible(() => fchmodSync(descriptor, privateMode));
}

function asFarAsPossible(change: () => void): void {
  try {
    change();
  } catch (error) {
    // Another user's file, or a file system without modes: access is decided by its mount, and `doctor` reports it.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
