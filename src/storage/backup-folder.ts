// What tells the folder of a backup from any other: a backup deletes files in its folder, so it must never be a foreign one.
import { realpathSync, type Dirent } from 'node:fs';
import { open, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isPlace } from '#storage/blob-place.ts';
import { makeFolder } from '#storage/make-folder.ts';

/** The operator named a folder that cannot be used; the message says why, and what to do. */
export class BackupError extends Error {}

const markerName = 'tintype-backup.txt';
const markerText = `This folder is a backup that "npx tintype backup" made. The next backup into it replaces the database and deletes, in blobs/, the
files of uploads and renders that no longer exist. It deletes nothing else.
`;

const sqliteHeader = 'SQLite format 3\0';
/** Where the header of a database says how it is written: 2 is WAL, which every running service uses; a finished copy has 1. */
const writeModeOffset = 18;

/** Makes and marks the folder, and returns the files that earlier backups wrote. Rejects a folder of anything else. */
export async function claimBackupFolder(
  folder: string,
  dataDir: string,
  databaseName: string,
): Promise<string[]> {
  const [here, data] = [realPath(folder), realPath(dataDir)];
  if (isWithin(here, data)) throw new BackupError('the backup must be outside DATA_DIR');
  if (isWithin(data, here)) throw new BackupError(`DATA_DIR must be outside the backup, and is in ${folder}`);
  const entries = await entriesOf(folder);
  const names = entries.map(({ name }) => name);
  if (names.length > 0 && !names.includes(markerName) && !isUnmarkedBackup(names, databaseName)) {
    throw new BackupError(
      `${folder} is neither empty nor a backup; name a new folder, such as ${join(folder, 'tintype-backup')}`,
    );
  }
  for (const entry of entries) {
    if ([markerName, databaseName].includes(entry.name) && !entry.isFile()) {
      throw new BackupError(`${join(folder, entry.name)} is not a file; move it away, or name a new folder`);
    }
  }
  if (names.includes(databaseName)) await refuseInstallation(join(folder, databaseName));
  const earlier = await filesCopied(folder);
  makeFolder(folder);
  if (!names.includes(markerName)) await writeFile(join(folder, markerName), markerText, { flag: 'wx' });
  return earlier;
}

/** Earlier versions made no marker. Their backups, finished or not, have these names and no others. */
function isUnmarkedBackup(names: string[], databaseName: string): boolean {
  const copies = [databaseName, unfinishedOf(databaseName)];
  const possible = [...copies, `${unfinishedOf(databaseName)}-journal`, 'blobs'];
  return names.some((name) => copies.includes(name)) && names.every((name) => possible.includes(name));
}

/** A folder that a service has used has the same layout, and perhaps a marker, if it was copied from a backup. */
async function refuseInstallation(databaseFile: string): Promise<void> {
  await using file = await open(databaseFile, 'r');
  const { buffer: header } = await file.read(Buffer.alloc(20), 0, 20, 0);
  if (header.toString('latin1', 0, sqliteHeader.length) !== sqliteHeader || header[writeModeOffset] !== 1) {
    throw new BackupError(
      `${databaseFile} was not made by a backup, or a service has used it since; name a new folder`,
    );
  }
}

/** The folders of the store of blobs, from the top; undefined stands for any name. */
const levels = ['blobs', undefined, 'store', undefined];

/** What a copy is called until it is complete. */
export const unfinishedOf = (path: string): string => `${path}${unfinishedEnd}`;
const unfinishedEnd = '.unfinished';

/** The files of uploads and renders in a data folder or a backup, as paths relative to it. Links to folders are followed. */
export const filesToCopy = (folder: string): Promise<string[]> =>
  storedFiles(folder, isPlace, (entry) => entry.isDirectory() || entry.isSymbolicLink());

/** The same files where they are written and deleted, and unfinished copies of them. Rejects if a folder on the way is a link. */
export const filesCopied = (folder: string): Promise<string[]> =>
  storedFiles(
    folder,
    (part, name) => isPlace(part, basename(name, unfinishedEnd)),
    (entry, path) => {
      if (entry.isSymbolicLink())
        throw new BackupError(`${path} is a link; put a folder in its place, or name another folder`);
      return entry.isDirectory();
    },
  );

async function storedFiles(
  folder: string,
  isOurs: (part: string, name: string) => boolean,
  isFolder: (entry: Dirent, path: string) => boolean,
): Promise<string[]> {
  let parts = [''];
  for (const wanted of levels) {
    const found: string[] = [];
    for (const part of parts) {
      for (const entry of await entriesOf(join(folder, part))) {
        const path = join(part, entry.name);
        if ((wanted ?? entry.name) === entry.name && isFolder(entry, join(folder, path))) found.push(path);
      }
    }
    parts = found;
  }
  const files: string[] = [];
  for (const part of parts) {
    for (const entry of await entriesOf(join(folder, part))) {
      if (entry.isFile() && isOurs(basename(part), entry.name)) files.push(join(part, entry.name));
    }
  }
  return files;
}

/** Empty if there is no such folder. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // A link may lead to a file.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Where a path leads, also if its last folders do not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realPath(dirname(path)), basename(path));
  }
}

const isWithin = (inner: string, outer: string): boolean => relative(outer, inner).split(sep)[0] !== '..';
