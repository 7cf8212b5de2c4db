// Backs up a one-machine installation while it runs, and restores it. The database is copied first: a file exists before its
// row does, so every copied row finds its file unless the file was deleted since.
import { constants, existsSync } from 'node:fs';
import { copyFile, link, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import {
  BackupError,
  claimBackupFolder,
  filesCopied,
  filesToCopy,
  unfinishedOf,
} from '#storage/backup-folder.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { makePrivate } from '#storage/private-file.ts';
import { syncPath } from '#storage/open-file.ts';

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
  if (!existsSync(databaseFile)) throw new BackupError(`there is no database in ${dataDir}`);
  const databaseName = relative(dataDir, databaseFile);
  const earlier = new Set(await claimBackupFolder(folder, dataDir, databaseName));
  await copyDatabase(databaseFile, join(folder, databaseName));
  const report = await copyFiles(dataDir, folder, earlier, onProgress);
  for (const path of earlier) await rm(join(folder, path), { force: true });
  return report;
}

/** Refuses to overwrite an installation, and deletes nothing: what else is in `dataDir` stays. */
export async function restore(
  folder: string,
  dataDir: string,
  databaseFile: string,
  onProgress: OnProgress,
): Promise<BackupReport> {
  const source = join(folder, relative(dataDir, databaseFile));
  if (!existsSync(source)) throw new BackupError(`there is no backup in ${folder}`);
  if (existsSync(databaseFile)) {
    throw new BackupError(
      `there is already a database in ${dataDir}; move it away, or set DATA_DIR to another folder`,
    );
  }
  makeFolder(dataDir);
  const report = await copyFiles(folder, dataDir, new Set(await filesCopied(dataDir)), onProgress);
  // Last: an interrupted restore has no database and can be repeated.
  await copyDatabase(source, databaseFile);
  return report;
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const unfinished = unfinishedOf(to);
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

/** Files never change once they exist, so those in `earlier` are kept; what remains in it is not wanted any more. */
async function copyFiles(
  from: string,
  to: string,
  earlier: Set<string>,
  onProgress: OnProgress,
): Promise<BackupReport> {
  const wanted = await filesToCopy(from);
  const report = { files: 0, newFiles: 0 };
  for (const path of wanted) {
    const isThere = earlier.delete(path);
    if (isThere || (await copyOne(join(from, path), join(to, path)))) report.files += 1;
    if (!isThere) report.newFiles += 1;
    onProgress(report.files, wanted.length);
  }
  return report;
}

/** A hard link on the same disk, otherwise a copy; false if the file was deleted in the meantime. */
async function copyOne(from: string, to: string): Promise<boolean> {
  makeFolder(dirname(to));
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST') throw new BackupError(`${to} is not a file; move it away`);
  }
  try {
    const unfinished = unfinishedOf(to);
    await rm(unfinished, { force: true });
    await copyFile(from, unfinished, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await syncPath(unfinished);
    await rename(unfinished, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
