// npx tintype backup, restore and migrate-data: back up and move the data of a one-machine installation.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backUp, restore, type BackupReport, type OnProgress } from '#storage/backup.ts';
import { copyBlobs } from '#storage/copy-blobs.ts';
import { openSqliteSource } from '#storage/copy-rows.ts';
import { readConfig, readConfigWith, type Config } from '#roof/config.ts';
import { createProgress } from '#roof/progress.ts';
import { openBlobs, openDatabase } from '#roof/engines.ts';
import { UsageError } from '#roof/usage-error.ts';

export const dataUsage = `  backup DIR                                        copy one machine's database and files while it runs
  restore DIR                                       put a backup back into an empty DATA_DIR
  migrate-data --to-database URL --to-storage URL   move one machine's data to Postgres and S3; may be run again
`;

type Command = (args: string[], config: Config) => Promise<string>;

const commands: Record<string, Command> = {
  async backup(args, config) {
    const why = 'backup works on one machine only; for Postgres and S3 use their own backup tools';
    requireOneMachine(config, why);
    const folder = oneFolder('backup', args);
    const files = await filesOf((show) => backUp(config.dataDir, config.databaseFile, folder, show));
    return `backed up to ${folder}: the database and ${files}`;
  },

  async restore(args, config) {
    const why = 'restore works on one machine only; use migrate-data to move to Postgres and S3';
    requireOneMachine(config, why);
    const folder = oneFolder('restore', args);
    const files = await filesOf((show) => restore(folder, config.dataDir, config.databaseFile, show));
    return `restored to ${config.dataDir}: the database and ${files}`;
  },

  async 'migrate-data'(args, config) {
    requireOneMachine(config, 'migrate-data starts from one machine: unset DATABASE_URL and STORAGE_URL');
    const { values } = parseArgs({
      args,
      options: { 'to-database': { type: 'string' }, 'to-storage': { type: 'string' } },
    });
    const target = targetOf(values['to-database'], values['to-storage']);
    if (target.databaseUrl === undefined) throw new UsageError('--to-database is missing');
    if (target.storage === undefined) throw new UsageError('--to-storage is missing');
    return migrateData(config, target, target.databaseUrl);
  },
};

/** The options have the form of the variables, so a mistake is one of a variable. */
function targetOf(database: string | undefined, storage: string | undefined): Config {
  try {
    return readConfigWith({ DATABASE_URL: database, STORAGE_URL: storage });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(
      message
        .replace('invalid DATABASE_URL', 'invalid --to-database')
        .replace('invalid STORAGE_URL', 'invalid --to-storage'),
    );
  }
}

/** Files first, because they take long and can be resumed; then all rows in one transaction, so the target is complete or empty. */
async function migrateData(config: Config, target: Config, databaseUrl: string): Promise<string> {
  await (await openDatabase(target)).close();
  const source = openSqliteSource(config.databaseFile);
  const progress = createProgress();
  try {
    await source.checkTarget(databaseUrl);
    const lines: string[] = [];
    for (const kind of ['uploads', 'renders', 'jobs'] as const) {
      const report = await copyBlobs(
        await openBlobs(config, kind),
        await openBlobs(target, kind),
        source.checksumOf,
        (what, done, total) => progress.show(`${kind} ${what}`, done, total),
      );
      progress.end();
      if (report.damaged.length > 0) {
        throw new Error(
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
export const runDataCommand = async (name: string, args: string[]): Promise<string | undefined> =>
  commands[name]?.(args, readConfig());

function requireOneMachine({ databaseUrl, storage }: Config, message: string): void {
  if (databaseUrl !== undefined || storage !== undefined) throw new Error(message);
}

function oneFolder(command: string, args: string[]): string {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new UsageError(`"${command}" takes one folder`);
  return resolve(folder);
}

/** Copies with a progress bar, and says how many files were copied. */
async function filesOf(copy: (onProgress: OnProgress) => Promise<BackupReport>): Promise<string> {
  const progress = createProgress();
  const { files, newFiles } = await copy((done, total) => progress.show('files', done, total));
  progress.end();
  return `${files} files, ${newFiles} of them new`;
}
