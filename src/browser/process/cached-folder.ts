// A folder of files made once and kept: it appears under its name only when whole and checked, and is made again when a file
// of it is missing or has another size. Whoever comes while another makes it waits; what a killed process left
// unfinished is removed.
import {
  chmod,
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
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, startTimeOf } from '#browser/process/running.ts';

interface Manifest {
  files: { name: string; sizeBytes: number }[];
}

export interface CachedFolderWork {
  /** Puts the files there. */
  fill(draft: string): Promise<void>;
  /** Rejects when what was made must not be used. */
  check?(draft: string): Promise<void>;
  /** Another process is at it. */
  onWait?(): void;
  /** Makes it again, though there is one. */
  renew?: boolean;
}

const manifestName = 'manifest.json';
const renameAttempts = 10;
const waitMs = 15 * 60_000;
const lookEveryMs = 200;
// A draft of another machine, on a disk that both use: nobody can tell whether it is still worked on.
const foreignDraftMs = 24 * 60 * 60_000;

export async function cachedFolder(
  folder: string,
  { fill, check, onWait, renew = false }: CachedFolderWork,
): Promise<void> {
  if (!renew) {
    if (await isWhole(folder)) return;
    if (await isMadeByAnother(folder, onWait)) return;
  }
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.draft-${maker()}-`);
  try {
    await fill(draft);
    await seal(draft);
    await check?.(draft);
    await putInPlace(draft, folder, renew);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Every byte count is right. */
export async function isWhole(folder: string): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as Manifest;
    const sizes = await Promise.all(
      manifest.files.map(async ({ name }) => (await stat(join(folder, name))).size),
    );
    return manifest.files.every((file, index) => sizes[index] === file.sizeBytes);
  } catch {
    return false;
  }
}

/** Waits while a living process works on a draft; false when there is none, or it failed, or it takes too long. */
async function isMadeByAnother(folder: string, onWait?: () => void): Promise<boolean> {
  const givesUpAt = performance.now() + waitMs;
  for (let isFirst = true; performance.now() < givesUpAt; isFirst = false) {
    if (!(await hasLivingDraft(folder))) return isWhole(folder);
    if (isFirst) onWait?.();
    await sleep(lookEveryMs);
  }
  return false;
}

/** Removes dead drafts on the way. */
async function hasLivingDraft(folder: string): Promise<boolean> {
  const prefix = `${basename(folder)}.draft-`;
  const names = await readdir(dirname(folder)).catch(() => []);
  let living = false;
  for (const name of names.filter((candidate) => candidate.startsWith(prefix))) {
    const path = join(dirname(folder), name);
    const [, host, pid, startTime] = /^([^-]*)-(\d+)-(\d+)-/.exec(name.slice(prefix.length)) ?? [];
    const isHere = host === thisHost && pid !== undefined && startTime !== undefined;
    if (isHere && isRunning(Number(pid), startTime)) living = true;
    else if (isHere || (await ageMs(path)) > foreignDraftMs) await rm(path, { recursive: true, force: true });
  }
  return living;
}

const thisHost = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_');
const maker = () => `${thisHost}-${process.pid}-${startTimeOf(process.pid)}`;

async function ageMs(path: string): Promise<number> {
  const entry = await stat(path).catch(() => null);
  return entry === null ? 0 : Date.now() - entry.mtimeMs;
}

/** Bytes on the disk before the name is; readable by the unprivileged user that the browser runs as. */
async function seal(draft: string): Promise<void> {
  const entries = (await readdir(draft, { recursive: true, withFileTypes: true })).filter(
    (entry) => !entry.isSymbolicLink(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  await Promise.all([draft, ...paths].map((path) => chmod(path, 0o755)));
  const files = entries.flatMap((entry, index) => (entry.isFile() ? [paths[index]!] : []));
  const manifest: Manifest = { files: await Promise.all(files.map((path) => describe(draft, path))) };
  await writeFile(join(draft, manifestName), JSON.stringify(manifest, null, 2), { mode: 0o644, flush: true });
}

async function describe(draft: string, path: string): Promise<Manifest['files'][number]> {
  const file = await open(path);
  try {
    await file.sync();
    return { name: path.slice(draft.length + 1), sizeBytes: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/** Others may be at it too: a whole folder in place is as good as ours, a broken or an old one is moved out of the way. */
async function putInPlace(draft: string, folder: string, renew: boolean): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(draft, folder);
    } catch (error) {
      if (!renew && (await isWhole(folder))) return;
      if (attempt === renameAttempts) throw error;
      const old = `${draft}.old`;
      await rename(folder, old).catch(() => {});
      await rm(old, { recursive: true, force: true });
    }
  }
}
