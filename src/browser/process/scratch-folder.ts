// The private folder of one browser process (profile, temporary files, caches), removed with it. Folders that a killed service
// left behind are swept at the next start.
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, startTimeOf } from '#browser/process/running.ts';

const removeAttempts = 10;
// Short, as are the numbers after it: a full Chromium creates a socket 49 characters further down, and the system limits its path to 107.
const prefix = 'tintype-b-';
const radix = 36;
const inUse = new Set<string>();
/** What could not be removed with its browser: a file that is still open, or a folder that was made read-only. */
const leftOver = new Set<string>();

/** How the names of the folders of a service process begin. */
export const scratchPrefix = (pid: number): string => `${prefix}${pid.toString(radix)}-`;

export interface ScratchFolder {
  readonly path: string;
  /** Rejects if it cannot be removed now; removal is retried with the next folder, and at the next start. */
  remove(): Promise<void>;
}

export function createScratchFolder(owner: { uid: number; gid: number } | null): ScratchFolder {
  const startTime = Number(startTimeOf(process.pid)).toString(radix);
  const path = mkdtempSync(join(tmpdir(), `${scratchPrefix(process.pid)}${startTime}-`));
  inUse.add(path);
  for (const name of ['profile', 'tmp', 'cache']) mkdirSync(join(path, name), { mode: 0o700 });
  if (owner) {
    for (const name of ['', 'profile', 'tmp', 'cache']) chownSync(join(path, name), owner.uid, owner.gid);
  }
  return {
    path,
    async remove() {
      const earlier = [...leftOver];
      leftOver.add(path);
      for (const other of earlier) {
        // Its failure was logged when it happened.
        await rm(other, { recursive: true, force: true }).then(
          () => forget(other),
          () => {},
        );
      }
      await removeSoon(path);
      forget(path);
    },
  };
}

/** A process of the group that is being killed may still write. The retries of `rm` itself multiply with the depth of the tree. */
async function removeSoon(path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (attempt === removeAttempts) throw error;
      await pause(100);
    }
  }
}

function forget(path: string): void {
  leftOver.delete(path);
  inUse.delete(path);
}

/** Removes the folders of services that no longer run; only our own, not those of other users. */
export async function sweepScratchFolders(ownerIds: number[]): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  let swept = 0;
  for (const name of names) {
    const path = join(tmpdir(), name);
    const [, pid, startTime] = /^([a-z0-9]+)-([a-z0-9]+)-/.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined || startTime === undefined || inUse.has(path)) continue;
    if (isRunning(Number.parseInt(pid, radix), String(Number.parseInt(startTime, radix)))) continue;
    const entry = await lstat(path).catch(() => null);
    if (!entry?.isDirectory() || !ownerIds.includes(entry.uid)) continue;
    swept += await rm(path, { recursive: true, force: true }).then(
      () => 1,
      // A later start sweeps it; this start does not wait.
      () => 0,
    );
  }
  return swept;
}
