// The engines that every storage suite runs on: SQLite and files in the quick gate, Postgres and S3 when the second gate runs it again.
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { openPostgres } from '#storage/postgres.ts';
import { createS3Blobs } from '#storage/s3-blobs.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { readConfig } from '#roof/config.ts';
import { query } from '#test/support/postgres.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { isOnServers, newDatabase, newStorageUrl } from '#test/support/stores.ts';

export interface OpenDatabase {
  database: Database;
  /** The environment variables with which a service uses it. */
  environment: Record<string, string>;
  /** A second connection to the same data, as another process would have. */
  openAnother: () => Promise<Database>;
  /** Runs SQL directly, bypassing the tables. */
  execute: (sql: string) => Promise<void>;
  close: () => Promise<void>;
}

export interface OpenBlobs {
  blobs: Blobs;
  /** Where it keeps what it has on this machine. */
  folder: string;
  /** The same store as another process sees it. */
  openAnother: () => Promise<Blobs>;
  close: () => Promise<void>;
}

export interface DatabaseEngine {
  name: Database['engine'];
  /** How many connections of one process may write at once. With SQLite a second would block the thread that the first needs. */
  parallelConnections: number;
  /** An empty database, as the environment variables that select it. */
  newPlace: () => Promise<{ environment: Record<string, string>; remove: () => Promise<void> }>;
  /** Opens an empty database, or one that this SQL has filled. */
  open: (filledBy?: string) => Promise<OpenDatabase>;
}

/** For what compares them, or is about one of them. */
export const allDatabaseEngines: DatabaseEngine[] = [
  {
    name: 'sqlite',
    parallelConnections: 1,
    newPlace: newFolder,
    async open(filledBy) {
      const { environment, remove } = await newFolder();
      const file = join(environment.DATA_DIR, 'tintype.db');
      return openWith({
        environment,
        filledBy,
        connect: () => openSqlite(file),
        async execute(sql) {
          const native = new DatabaseSync(file);
          try {
            native.exec(sql);
          } finally {
            native.close();
          }
        },
        remove,
      });
    },
  },
  {
    name: 'postgres',
    parallelConnections: 4,
    async newPlace() {
      const { environment, remove } = await newFolder();
      const DATABASE_URL = await newDatabase();
      return { environment: { ...environment, DATABASE_URL }, remove };
    },
    async open(filledBy) {
      const DATABASE_URL = await newDatabase();
      return openWith({
        environment: { DATABASE_URL },
        filledBy,
        connect: () => openPostgres(DATABASE_URL),
        async execute(sql) {
          await query(DATABASE_URL, sql);
        },
        remove: async () => {},
      });
    },
  },
];

const allBlobEngines: { name: string; open: () => Promise<OpenBlobs> }[] = [
  {
    name: 'disk',
    async open() {
      const { path, remove } = await temporaryFolder();
      const openAnother = () => createDiskBlobs(path);
      return { blobs: await openAnother(), folder: path, openAnother, close: remove };
    },
  },
  {
    name: 's3',
    async open() {
      const { path, remove } = await temporaryFolder();
      const { storage } = readConfig({ STORAGE_URL: await newStorageUrl() });
      if (!storage) throw new Error('the address of the store could not be parsed');
      const openAnother = () => createS3Blobs(storage, path);
      return { blobs: await openAnother(), folder: path, openAnother, close: remove };
    },
  },
];

export const databaseEngines = allDatabaseEngines.filter(
  ({ name }) => (name === 'postgres') === isOnServers(),
);
export const blobEngines = allBlobEngines.filter(({ name }) => (name === 's3') === isOnServers());

async function newFolder() {
  const { path, remove } = await temporaryFolder();
  return { environment: { DATA_DIR: path }, remove };
}

async function openWith({
  environment,
  filledBy,
  connect,
  execute,
  remove,
}: Pick<OpenDatabase, 'environment' | 'execute'> & {
  filledBy: string | undefined;
  connect: () => Promise<Database>;
  remove: () => Promise<void>;
}): Promise<OpenDatabase> {
  if (filledBy !== undefined) await execute(filledBy);
  const opened: Database[] = [];
  const openAnother = async () => {
    const database = await connect();
    opened.push(database);
    return database;
  };
  return {
    database: await openAnother(),
    environment,
    openAnother,
    execute,
    async close() {
      await Promise.all(opened.map((database) => database.close()));
      await remove();
    },
  };
}
