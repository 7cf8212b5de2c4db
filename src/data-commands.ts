// npx tintype backup, restore and migrate-data: back up and move the data of a one-machine installation.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backUp, restore, type BackupReport } from '#storage/backup.ts';
import { BackupError } from '#storage/backup-folder.ts';
import { copyBlobs } from '#storage/copy-blobs.ts';
import { openSqliteSource, TargetError } from '#storage/copy-rows.ts';
import { readConfig, readConfigWith, type Config } from '#roof/config.ts';
import { createProgress } from '#roof/progress.ts';
import { openBlobs, openDatabase } from '#roof/engines.ts';

export const dataUsage = `  backup DIR                                        copy one machine's database and files while it runs
  restore DIR                                       put a backup back into an empty DATA_DIR
  migrate-data --to-database URL --to-storage URL   move one machine's data to Postgres and S3; may be run again
`;

/** An operator's mistake or damaged data; the message is shown on the terminal. */
class DataError extends Error {}

type Command = (args: string[], config: Config) => Promise<string>;

const commands: Record<string, Command> = {
  async backup(args, config) {
    requireOneMachine(
      config,
      'backup works on one machine only; for Postgres and S3 use their own backup tools',
    );
    const progress = createProgress();
    const folder = oneFolder('backup', args);
    const report = await backUp(config.dataDir, config.databaseFile, folder, (done, total) =>
      progress.show('files', done, total),
    );
    progress.end();
    return `backed up to ${folder}: the database and ${filesText(report)}`;
  },

  async restore(args, config) {
    requireOneMachine(
      config,
      'restore works on one machine only; use migrate-data to move to Postgres and S3',
    );
    const progress = createProgress();
    const folder = oneFolder('restore', args);
    const report = await restore(folder, config.dataDir, config.databaseFile, (done, total) =>
      progress.show('files', done, total),
    );
    progress.end();
    return `restored to ${config.dataDir}: the database and ${filesText(report)}`;
  },

  async 'migrate-data'(args, config) {
    requireOneMachine(config, 'migrate-data starts from one machine: unset DATABASE_URL and STORAGE_URL');
    const { values } = parseArgs({
      args,
      options: { 'to-database': { type: 'string' }, 'to-storage': { type: 'string' } },
    });
    const target = readConfigWith({
      DATABASE_URL: values['to-database'],
      STORAGE_URL: values['to-storage'],
    });
    if (target.databaseUrl === undefined) throw new DataError('--to-database is missing');
    if (target.storage === undefined) throw new DataError('--to-storage is missing');
    return migrateData(config, target, target.databaseUrl);
  },
};

/** Files first, because they take long and can be resumed; then all rows in one transaction, so the target is complete or empty. */
async function migrateData(config: Config, target: Config, databaseUrl: string): Promise<string> {
  await (await openDatabase(target)).close();
  const source = openSqliteSource(config.databaseFile);
  const progress = createProgress();
  try {
    await source.checkTarget(databaseUrl);
    const lines: string[] = [];
    for (const kind of ['uploads', 'renders'] as const) {
      const report = await copyBlobs(
        await openBlobs(config, kind),
        await openBlobs(target, kind),
        source.checksumOf,
        (what, done, total) => progress.show(`${kind} ${what}`, done, total),
      );
      progress.end();
      if (report.damaged.length > 0) {
        throw new DataError(
          `${report.damaged.length} files of ${kind} do not match their checksums, for example ${report.damaged[0]}; no rows were copied`,
        );
      }
      lines.push(
        `${report.files} files of ${kind} (${report.copied} in this run), each read back and compared`,
      );
    }
    await source.copyTo(databaseUrl, (done, total) => progress.show('rows', done, total));
    progress.end();
    for (const { name, rows } of source.tables) lines.push(`${rows} rows of ${name}, counted`);
    return [...lines, 'complete: set DATABASE_URL and STORAGE_URL and start the fleet'].join('\n');
  } finally {
    progress.end();
    source.close();
  }
}

/** Undefined when there is no such command. */
export async function runDataCommand(name: string, args: string[]): Promise<string | undefined> {
  const command = commands[name];
  try {
    return await command?.(args, readConfig());
  } catch (error) {
    if (error instanceof BackupError || error instanceof TargetError) throw new DataError(error.message);
    throw error;
  }
}

function requireOneMachine({ databaseUrl, storage }: Config, message: string): void {
  if (databaseUrl !== undefined || storage !== undefined) throw new DataError(message);
}

function oneFolder(command: string, args: string[]): string {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new DataError(`"${command}" takes one folder`);
  return resolve(folder);
}

const filesText = ({ files, newFiles }: BackupReport): string => `${files} files, ${newFiles} of them new`;
