// If the service runs as root, a worker runs as another user, and its Chromium as a third, which keeps its sandbox; the files that
// Chromium reads must be where that user can reach them.
import { constants } from 'node:fs';
import { access, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface UnixUser {
  uid: number;
  gid: number;
}

/** The browser can reach nothing of its worker, and the worker nothing of the service. */
export interface Users {
  browser: UnixUser;
  worker: UnixUser;
}

// The user "nobody" on every Linux.
const nobody: UnixUser = { uid: 65_534, gid: 65_534 };
// Next to it, and of no one else: systems assign neither people nor services a number above 65,519.
const worker: UnixUser = { uid: 65_533, gid: 65_533 };

/** Null: both run as the user of the service. On macOS its sandbox needs no other user, and "nobody" has another number. */
export function workerUsers(platform = process.platform, uid = process.getuid?.()): Users | null {
  return uid === 0 && platform === 'linux' ? { browser: nobody, worker } : null;
}

/** For good. Only root can. */
export function become({ uid, gid }: UnixUser): void {
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

export const browserUser = (): UnixUser | null => workerUsers()?.browser ?? null;

/** The folder itself, or another one if it is not writable (a clone of another user) or the browser cannot reach it (/root). */
export async function reachableCache(
  folder: string,
  user: UnixUser | null,
  others = otherCaches(process.platform, process.getuid?.() ?? 0),
): Promise<string> {
  const candidates = [folder, ...others].map((path) => resolve(path));
  for (const candidate of candidates) if (await isUsable(candidate, user)) return candidate;
  throw new Error(
    `There is no folder for the browser: none of ${candidates.join(', ')} can be written; name one with CACHE_DIR`,
  );
}

export function otherCaches(platform: NodeJS.Platform, uid: number): string[] {
  if (uid === 0) return ['/var/cache/tintype'];
  const own = platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return [join(own, 'tintype'), join(tmpdir(), `tintype-cache-${uid}`)];
}

async function isUsable(folder: string, user: UnixUser | null): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    if (dirname(folder) === resolve(tmpdir()) && !(await isOwn(folder))) return false;
    if (user !== null && !(await isOpenToAll(folder))) return false;
    return (await isWritable(folder)) || (await readdir(folder)).length > 0;
  } catch {
    return false;
  }
}

/** In a folder that everyone can write to, another user may have created this one first. */
async function isOwn(folder: string): Promise<boolean> {
  const { uid, mode } = await lstat(folder);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isOpenToAll(dirname(folder));
}
