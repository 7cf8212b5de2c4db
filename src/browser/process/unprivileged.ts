// As root, Chromium runs as another user and keeps its sandbox; what it must read has to lie where that user can get
// to it. Design section 5 (process).
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

export interface UnixUser {
  uid: number;
  gid: number;
}

// The user that is nobody on every Linux.
const nobody: UnixUser = { uid: 65_534, gid: 65_534 };
const systemCache = '/var/cache/tintype';

/** Null: the service is unprivileged already, and the browser runs as it does. */
export function browserUser(): UnixUser | null {
  return process.getuid?.() === 0 ? nobody : null;
}

/** The folder itself, or one of the system's when the way to it is closed to others (as under /root). */
export async function reachableCache(folder: string, user: UnixUser | null): Promise<string> {
  await mkdir(folder, { recursive: true });
  if (user === null || (await isOpenToAll(resolve(folder)))) return resolve(folder);
  await mkdir(systemCache, { recursive: true, mode: 0o755 });
  return systemCache;
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isOpenToAll(dirname(folder));
}
