// The engines that every storage suite runs on.
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { temporaryFolder } from '#test/support/processes.ts';

export interface OpenDatabase {
  database: Database;
  /** A second connection to the same data, as another process has it. */
  openAnother: () => Promise<Database>;
  /** Runs SQL past our own code. */
  execute: (sql: string) => Promise<void>;
  close: () => Promise<void>;
}

export interface OpenBlobs {
  blobs: Blobs;
  /** The same store as another process sees it. */
  openAnother: () => Promise<Blobs>;
  close: () => Promise<void>;
}

export interface DatabaseEngine {
  name: string;
  /** How many connections of one process may write at once: SQLite's second would wait for the first on one thread. */
  parallelConnections: number;
  open: () => Promise<OpenDatabase>;
}

export const databaseEngines: DatabaseEngine[] = [
  {
    name: 'sqlite',
    parallelConnections: 1,
    async open() {
      const { path, remove } = await temporaryFolder();
      const file = join(path, 'tintype.db');
      const opened: Database[] = [];
      const openAnother = async () => {
        const database = await openSqlite(file);
        opened.push(database);
        return database;
      };
      return {
        database: await openAnother(),
        openAnother,
        async execute(sql) {
          const native = new DatabaseSync(file);
          try {
            native.exec(sql);
          } finally {
            native.close();
          }
        },
        async close() {
          await Promise.all(opened.map((database) => database.close()));
          await remove();
        },
      };
    },
  },
];

export const blobEngines: { name: string; open: () => Promise<OpenBlobs> }[] = [
  {
    name: 'disk',
    async open() {
      const { path, remove } = await temporaryFolder();
      const openAnother = () => createDiskBlobs(path);
      return { blobs: await openAnother(), openAnother, close: remove };
    },
  },
];
