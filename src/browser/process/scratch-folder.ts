// The private folder of one browser process (profile, temporary files, caches), removed with it; what a killed
// service left behind is swept at the next start.
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, startTimeOf } from '#browser/process/running.ts';

const prefix = 'tintype-browser-';
const inUse = new Set<string>();

export interface ScratchFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export function createScratchFolder(owner: { uid: number; gid: number } | null): ScratchFolder {
  const path = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-${startTimeOf(process.pid)}-`));
  inUse.add(path);
  for (const name of ['profile', 'tmp', 'cache']) mkdirSync(join(path, name), { mode: 0o700 });
  if (owner) {
    for (const name of ['', 'profile', 'tmp', 'cache']) chownSync(join(path, name), owner.uid, owner.gid);
  }
  return {
    path,
    async remove() {
      // A process of the group that is just dying may still write: hence the retries.
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      inUse.delete(path);
    },
  };
}

/** Removes the folders of services that no longer run, ours alone: other users' are not touched. */
export async function sweepScratchFolders(ownerIds: number[]): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  let swept = 0;
  for (const name of names) {
    const path = join(tmpdir(), name);
    const [, pid, startTime] = /^(\d+)-(\d+)-/.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined || inUse.has(path)) continue;
    if (startTime === undefined || isRunning(Number(pid), startTime)) continue;
    const entry = await lstat(path).catch(() => null);
    if (!entry?.isDirectory() || !ownerIds.includes(entry.uid)) continue;
    await rm(path, { recursive: true, force: true });
    swept += 1;
  }
  return swept;
}
