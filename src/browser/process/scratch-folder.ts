// The private folders of one worker: its results, and its browser's profile, temporary files and caches. They are removed with it.
// Folders that a killed service left behind are swept at the next start.
import { existsSync, lchownSync, mkdtempSync, readdirSync } from 'node:fs';
import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#core/ids.ts';
import { run } from '#browser/install/run.ts';
import { isRunning, startTimeOf } from '#browser/install/running.ts';
import type { UnixUser } from '#browser/process/unprivileged.ts';

const removeForMs = 1_000;
/** For one attempt. It only ends a hang: a process of the browser's user can stop the program. */
const rmMs = 30_000;
// Short, as are the numbers after it: a full Chromium creates a socket 49 characters further down, and the system limits its path to 107.
const prefix = 'tintype-b-';
const radix = 36;
const inUse = new Set<string>();
/** What could not be removed with its browser: a file that is still open, or a folder that was made read-only. */
const leftOver = new Map<string, UnixUser | null>();

/** How the names of the folders of a service process begin. */
export const scratchPrefix = (pid: number): string => `${prefix}${pid.toString(radix)}-`;

const ownPrefix = (): string =>
  `${scratchPrefix(process.pid)}${Number(startTimeOf(process.pid)).toString(radix)}-`;

/** Where a file may be put next to the folders: what is left of it is swept with them. */
export const scratchFile = (parent: string): string => join(parent, ownPrefix() + newId());

export interface ScratchFolder {
  readonly path: string;
  /** Rejects if it cannot be removed now; removal is retried with the next folder, and at the next start. */
  remove(): Promise<void>;
}

/** `fill` puts files into the folder before it is handed over. */
export function createScratchFolder(
  parent: string,
  owner: UnixUser | null,
  fill?: (path: string) => void,
): ScratchFolder {
  const path = mkdtempSync(join(parent, ownPrefix()));
  inUse.add(path);
  fill?.(path);
  if (owner) handOver(path, owner);
  return {
    path,
    async remove() {
      const earlier = [...leftOver];
      leftOver.set(path, owner);
      for (const [other, otherOwner] of earlier) {
        // Its failure was logged when it happened.
        await removeAs(otherOwner, other).then(
          () => forget(other),
          () => {},
        );
      }
      await removeSoon(path, owner);
      forget(path);
    },
  };
}

/** The folder itself comes last: until then nobody else can enter it, and put a link in place of what is inside. */
function handOver(path: string, { uid, gid }: UnixUser): void {
  for (const name of readdirSync(path, { recursive: true })) lchownSync(join(path, String(name)), uid, gid);
  lchownSync(path, uid, gid);
}

/** A process of the group that is being killed may still write. The retries of `rm` itself multiply with the depth of the tree. */
async function removeSoon(path: string, owner: UnixUser | null): Promise<void> {
  const givesUpAt = performance.now() + removeForMs;
  for (;;) {
    try {
      return await removeAs(owner, path);
    } catch (error) {
      if (performance.now() > givesUpAt) throw error;
      await pause(100);
    }
  }
}

/**
 * With the rights of its owner, who may have been taken over by a page and put links into it at any moment: behind a link it can
 * delete only what the owner could delete anyway.
 */
async function removeAs(owner: UnixUser | null, path: string): Promise<void> {
  if (!owner) return rm(path, { recursive: true, force: true });
  if (!existsSync(path)) return;
  const environment = { PATH: '/usr/bin:/bin' };
  // From inside, because the owner may not be able to reach the folders above.
  await run(
    'sh',
    ['-c', 'rm -rf -- * .[!.]* ..?*'],
    { environment, timeoutMs: rmMs },
    { ...owner, cwd: path },
  );
  // Follows no link and deletes no content.
  await rmdir(path);
}

function forget(path: string): void {
  leftOver.delete(path);
  inUse.delete(path);
}

/** Removes what services that no longer run left in `parent`, of our own user and of `user`. */
export async function sweepScratchFolders(parent: string, user: UnixUser | null): Promise<number> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  let swept = 0;
  for (const name of names) {
    const path = join(parent, name);
    const [, pid, startTime] =
      /^([a-z0-9]+)-([a-z0-9]+)-(?:[A-Za-z0-9]{6}|[A-Za-z0-9]{20})$/.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined || startTime === undefined || inUse.has(path)) continue;
    if (isRunning(Number.parseInt(pid, radix), String(Number.parseInt(startTime, radix)))) continue;
    const entry = await lstat(path).catch(() => null);
    if (!entry || ![process.getuid?.(), user?.uid].includes(entry.uid)) continue;
    const owner = entry.isDirectory() && entry.uid === user?.uid ? user : null;
    swept += await removeAs(owner, path).then(
      () => 1,
      // A later start sweeps it; this start does not wait.
      () => 0,
    );
  }
  return swept;
}
