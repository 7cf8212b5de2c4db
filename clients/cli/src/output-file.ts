// Where a picture or a document is written: a named file, stdout, or a file named after its page.
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomHex } from '../../library/src/form.ts';
import { nameAfter } from '../../shared/src/file-names.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';

/** Where the result of a render will go: a writable file, or undefined for stdout. Called before a unit is spent. */
export async function chooseOutput(
  output: string | undefined,
  url: string,
  extension: string,
): Promise<string | undefined> {
  if (output === '-' || (output === undefined && !process.stdout.isTTY)) return undefined;
  return preparePlace(output ?? '.', `${nameAfter(url)}.${extension}`);
}

export async function deliver(bytes: Uint8Array, file: string | undefined): Promise<void> {
  if (file === undefined) {
    await print(bytes);
    return;
  }
  await writeWhole(file, bytes);
  await print(`${file}\n`);
}

/** The file to write; for a folder, a file of that name in it. Throws if it cannot be written. */
async function preparePlace(place: string, nameInFolder: string): Promise<string> {
  const file = /[/\\]$/.test(place) || (await isFolder(place)) ? join(place, nameInFolder) : place;
  try {
    if (await isFolder(file)) throw new Error('it is a folder');
    await mkdir(dirname(file), { recursive: true });
    if (await isDevice(file)) return file;
    const part = partOf(file);
    await writeFile(part, '');
    await rm(part, { force: true });
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`);
  }
  return file;
}

/** A different name each time, because two processes may write the same file. */
const partOf = (file: string): string => `${file}.${randomHex(4)}.part`;

const hourMs = 3_600_000;

const partEnd = /\.[0-9a-f]{8}\.part$/;

/**
 * Removes what killed runs left of these files in a folder; parts of other files are not ours. A younger part may belong to a run
 * that is still active.
 */
export async function removeOldParts(folder: string, files: string[], now: number): Promise<void> {
  const isOurs = new Set(files);
  for (const name of await readdir(folder)) {
    if (!partEnd.test(name) || !isOurs.has(name.replace(partEnd, ''))) continue;
    const path = join(folder, name);
    const entry = await stat(path).catch(() => undefined);
    if (entry && now - entry.mtimeMs > hourMs) await rm(path, { force: true });
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** Such as /dev/stdout or a named pipe: written to, never replaced. */
async function isDevice(path: string): Promise<boolean> {
  const entry = await stat(path).catch(() => undefined);
  return entry !== undefined && !entry.isFile();
}

/** Writes the whole file or nothing: a kill in the middle leaves only a .part. */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const part = partOf(file);
  try {
    if (await isDevice(file)) return await writeFile(file, bytes);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(part, bytes);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new Error(`cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
}
