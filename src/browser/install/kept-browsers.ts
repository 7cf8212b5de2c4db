// The browsers in the cache that were fetched, each in a folder of its own that appears when it has passed its tests. A process that uses one
// says so in a file next to it; a folder is removed when a newer one is in use and nobody uses it.
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isWhole } from '#browser/install/cached-folder.ts';
import { renewCommand, type Candidate, type Chromium } from '#browser/install/chromium.ts';
import type { Fetched } from '#browser/install/fetch-way.ts';
import { compareVersions } from '#browser/install/releases.ts';
import { isOfRunning, thisProcess } from '#browser/install/running.ts';
import type { System } from '#browser/install/system.ts';

export const recordName = 'browser.json';

/** What the folder has; paths are relative to it. */
interface Kept extends Fetched {
  version: string;
  title: string;
}

export const recordOf = (folder: string, { executable, libraryFolders, ...rest }: Kept): string =>
  JSON.stringify({
    ...rest,
    executable: relative(folder, executable),
    libraryFolders: libraryFolders.map((path) => relative(folder, path)),
  });

/** Where this version is kept. A browser of another system or processor does not run here. */
export const folderOf = (cacheFolder: string, source: string, version: string, system: System): string =>
  join(cacheFolder, `${source}-${version}${endOf(system)}`);

const endOf = ({ id }: System): string => `-${id}-${process.arch}`;

/** Whole ones, in no order. */
export async function keptBrowsers(cacheFolder: string, system: System): Promise<Candidate[]> {
  const names = await readdir(cacheFolder).catch(() => []);
  const kept: Candidate[] = [];
  for (const name of names.filter((candidate) => candidate.endsWith(endOf(system)))) {
    const folder = join(cacheFolder, name);
    const chromium = await recall(folder).catch(() => null);
    if (chromium === null) continue;
    const open = async () => {
      if (await isWhole(folder)) return chromium;
      throw new Error(`${folder} is not complete`);
    };
    kept.push({ id: folder, version: chromium.version, open });
  }
  return kept;
}

export async function recall(folder: string): Promise<Chromium> {
  const record = await readFile(join(folder, recordName), 'utf8');
  const { executable, libraryFolders, title, version, trust } = JSON.parse(record) as Kept;
  const libraries = libraryFolders.map((name) => join(folder, name));
  return {
    executable: join(folder, executable),
    libraryFolder: libraries.length > 0 ? libraries.join(':') : null,
    kind: 'headless-shell',
    version,
    source: `${title}, kept in the cache`,
    renewal: renewCommand,
    ...(trust !== undefined && { trust }),
    folder,
  };
}

/** How many users each folder has in this process. */
const users = new Map<string, number>();
const markOf = (folder: string): string => `${folder}.user-${thisProcess()}`;

/** Keeps others from removing the browser until what this returns is called. */
export function hold({ folder }: Pick<Chromium, 'folder'>): () => void {
  if (folder === undefined) return () => {};
  const count = (change: number): number => {
    const sum = (users.get(folder) ?? 0) + change;
    users.set(folder, sum);
    return sum;
  };
  try {
    if (count(1) === 1) writeFileSync(markOf(folder), '', { mode: 0o644 });
  } catch {
    // A cache that cannot be written cannot be emptied either.
  }
  let isHeld = true;
  return () => {
    if (isHeld && count(-1) === 0) rmSync(markOf(folder), { force: true });
    isHeld = false;
  };
}

/** Removes the older ones that no running process uses. Whether one of another machine does, nobody here knows: then it stays. */
export async function removeOlder(cacheFolder: string, version: string, system: System): Promise<string[]> {
  const removed: string[] = [];
  const kept = await keptBrowsers(cacheFolder, system);
  for (const { id: folder } of kept.filter((other) => compareVersions(other.version, version) < 0)) {
    if (await isUsed(cacheFolder, folder)) continue;
    await rm(folder, { recursive: true, force: true });
    removed.push(folder);
  }
  return removed;
}

async function isUsed(cacheFolder: string, folder: string): Promise<boolean> {
  let used = false;
  for (const name of await readdir(cacheFolder)) {
    const mark = join(cacheFolder, name);
    if (!mark.startsWith(`${folder}.user-`)) continue;
    if (isOfRunning(mark.slice(`${folder}.user-`.length)) === false) await rm(mark, { force: true });
    else used = true;
  }
  return used;
}
