// A folder of files that is created once and kept. It appears under its name only when complete and checked, and is created again
// if one of its files is missing or has a different size. If another process is creating it, this one waits; what a killed
// process left unfinished is removed.
import type { Dirent } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOfRunning, thisProcess } from '#browser/install/running.ts';

interface Manifest {
  files: { name: string; sizeBytes: number }[];
}

export interface CachedFolderWork {
  /** Puts the files there. */
  fill(draft: string): Promise<void>;
  /** Rejects if the result must not be used. */
  check?(draft: string): Promise<void>;
  /** Called if another process is creating it. */
  onWait?(): void;
}

const manifestName = 'manifest.json';
const renameAttempts = 10;
const waitMs = 15 * 60_000;
const pollMs = 200;

export async function cachedFolder(folder: string, { fill, check, onWait }: CachedFolderWork): Promise<void> {
  if (await isWhole(folder)) return;
  if (await isMadeByAnother(folder, onWait)) return;
  await refuseForeign(folder);
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.draft-${thisProcess()}-`);
  try {
    await fill(draft);
    await seal(draft);
    await check?.(draft);
    await putInPlace(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Every file has the right size. */
export async function isWhole(folder: string): Promise<boolean> {
  try {
    const manifest = await readManifest(folder);
    const sizes = await Promise.all(
      manifest.files.map(async ({ name }) => (await stat(join(folder, name))).size),
    );
    return manifest.files.every((file, index) => sizes[index] === file.sizeBytes);
  } catch {
    return false;
  }
}

/** Rejects if the folder was not made here: every folder that was has a list of its files. */
async function readManifest(folder: string): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as Partial<Manifest>;
  const isOurs = Array.isArray(manifest.files) && manifest.files.every(({ sizeBytes }) => sizeBytes >= 0);
  if (!isOurs) throw new Error(`${manifestName} is not a list of files`);
  return manifest as Manifest;
}

/** Waits while a running process works on a draft; false if there is none, it failed, or it takes too long. */
async function isMadeByAnother(folder: string, onWait?: () => void): Promise<boolean> {
  const givesUpAt = performance.now() + waitMs;
  for (let isFirst = true; performance.now() < givesUpAt; isFirst = false) {
    if (!(await hasLivingDraft(folder))) return isWhole(folder);
    if (isFirst) onWait?.();
    await sleep(pollMs);
  }
  return false;
}

/** Also removes drafts of processes of this machine that no longer run. Whether another machine's does, nobody here knows. */
async function hasLivingDraft(folder: string): Promise<boolean> {
  const prefix = `${basename(folder)}.draft-`;
  const names = await readdir(dirname(folder)).catch(() => []);
  let living = false;
  for (const name of names.filter((candidate) => candidate.startsWith(prefix))) {
    const end = name.slice(prefix.length);
    const isWorkedOn = draftName.test(end) ? isOfRunning(end) : undefined;
    if (isWorkedOn) living = true;
    else if (isWorkedOn === false) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
  return living;
}

/** After the prefix: `thisProcess`, and what makes it unique; `.old` is a folder that was moved away to be deleted. */
const draftName = /^([^-]*)-(\d+)-(\d+)-[A-Za-z0-9]{6}(\.old)?$/;

/** Syncs the bytes to the disk before the rename; readable by the unprivileged user of the browser. */
async function seal(draft: string): Promise<void> {
  const entries = await entriesBelow(draft);
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  await Promise.all([draft, ...paths].map((path) => chmod(path, 0o755)));
  const files = entries.flatMap((entry, index) => (entry.isFile() ? [paths[index]!] : []));
  const manifest: Manifest = { files: await Promise.all(files.map((path) => describe(draft, path))) };
  await writeFile(join(draft, manifestName), JSON.stringify(manifest, null, 2), { mode: 0o644, flush: true });
}

/** Without links, and without what is behind them, where the recursive readdir of Node goes. */
async function entriesBelow(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entriesBelow(join(folder, entry.name)));
  return [...entries.filter((entry) => !entry.isSymbolicLink()), ...(await Promise.all(below)).flat()];
}

async function describe(draft: string, path: string): Promise<Manifest['files'][number]> {
  await using file = await open(path);
  await file.sync();
  return { name: path.slice(draft.length + 1), sizeBytes: (await file.stat()).size };
}

/** Others may create it at the same time: a complete folder in place is as good as this one; a broken one is moved away. */
async function putInPlace(draft: string, folder: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(draft, folder);
    } catch (error) {
      if (await isWhole(folder)) return;
      if (attempt === renameAttempts) throw error;
      await refuseForeign(folder);
      const old = `${draft}.old`;
      await rename(folder, old).catch(() => {});
      await rm(old, { recursive: true, force: true });
    }
  }
}

/** A folder or file of another program is not moved away and deleted. */
async function refuseForeign(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return;
  await readManifest(folder).catch(async (error: unknown) => {
    // Another process may have replaced it at this very moment.
    if ((await lstat(folder).catch(() => null))?.ino !== found.ino) return refuseForeign(folder);
    throw new Error(`${folder} is in the way: it was not made by Tintype; move it away, or set CACHE_DIR`, {
      cause: error,
    });
  });
}
