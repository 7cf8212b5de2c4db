// Backs up a one-machine installation while it runs, and restores it. The database is copied first: a file exists before its
// row does, so every copied row finds its file unless the file was deleted since.
import { constants } from 'node:fs';
import { access, copyFile, link, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { makeFolder } from '#storage/make-folder.ts';
import { makePrivate } from '#storage/private-file.ts';
import { syncPath } from '#storage/open-file.ts';

export class BackupError extends Error {}

export interface BackupReport {
  /** All files except the database. */
  files: number;
  /** Files that an earlier backup did not have. */
  newFiles: number;
}

export type OnProgress = (done: number, total: number) => void;

/** `databaseFile` is in `dataDir`; the copy has the same layout, so that a service can run on it. */
export async function backUp(
  dataDir: string,
  databaseFile: string,
  folder: string,
  onProgress: OnProgress,
): Promise<BackupReport> {
  if (!(await exists(databaseFile))) throw new BackupError(`there is no database in ${dataDir}`);
  if (!relative(dataDir, folder).startsWith('..'))
    throw new BackupError('the backup must be outside DATA_DIR');
  makeFolder(folder);
  const target = join(folder, relative(dataDir, databaseFile));
  await copyDatabase(databaseFile, target);
  return copyFiles(dataDir, folder, relative(dataDir, databaseFile), onProgress);
}

/** Refuses to overwrite an installation. */
export async function restore(
  folder: string,
  dataDir: string,
  databaseFile: string,
  onProgress: OnProgress,
): Promise<BackupReport> {
  const source = join(folder, relative(dataDir, databaseFile));
  if (!(await exists(source))) throw new BackupError(`there is no backup in ${folder}`);
  if (await exists(databaseFile)) {
    throw new BackupError(
      `there is already a database in ${dataDir}; move it away, or set DATA_DIR to another folder`,
    );
  }
  makeFolder(dataDir);
  const report = await copyFiles(folder, dataDir, relative(dataDir, databaseFile), onProgress);
  // Last: an interrupted restore has no database and can be repeated.
  await copyDatabase(source, databaseFile);
  return report;
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const unfinished = `${to}.unfinished`;
  await rm(unfinished, { force: true });
  makePrivate(unfinished);
  await writeCopy(from, unfinished);
  checkCopy(unfinished);
  await syncPath(unfinished);
  await rename(unfinished, to);
  await syncPath(dirname(to));
}

async function writeCopy(from: string, to: string): Promise<void> {
  using database = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  // Copies one moment: without a transaction SQLite starts over with every write of the service, and never ends on a busy one.
  database.exec('begin; select count(*) from sqlite_schema');
  await backup(database, to);
}

function checkCopy(file: string): void {
  using copy = new DatabaseSync(file);
  // A single file, without the two WAL files of a running service.
  copy.exec('pragma journal_mode = delete');
  const [{ integrity_check: verdict } = {}] = copy.prepare('pragma integrity_check').all();
  if (verdict !== 'ok') throw new BackupError(`the copy of the database is damaged: ${String(verdict)}`);
}

/** Files never change once they exist, so files from an earlier backup are kept. */
async function copyFiles(
  from: string,
  to: string,
  databaseName: string,
  onProgress: OnProgress,
): Promise<BackupReport> {
  const isCopied = (path: string): boolean => !path.startsWith(databaseName) && !/(^|\/)spool\//.test(path);
  const wanted = (await filesIn(from)).filter(isCopied);
  const present = new Set((await filesIn(to)).filter(isCopied));
  const report = { files: 0, newFiles: 0 };
  for (const path of wanted) {
    const isThere = present.delete(path);
    if (isThere || (await copyOne(join(from, path), join(to, path)))) report.files += 1;
    if (!isThere) report.newFiles += 1;
    onProgress(report.files, wanted.length);
  }
  for (const path of present) await rm(join(to, path), { force: true });
  return report;
}

/** A hard link on the same disk, otherwise a copy; false if the file was deleted in the meantime. */
async function copyOne(from: string, to: string): Promise<boolean> {
  makeFolder(dirname(to));
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
  }
  try {
    const unfinished = `${to}.unfinished`;
    await copyFile(from, unfinished, constants.COPYFILE_FICLONE);
    await syncPath(unfinished);
    await rename(unfinished, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function filesIn(folder: string): Promise<string[]> {
  if (!(await exists(folder))) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
