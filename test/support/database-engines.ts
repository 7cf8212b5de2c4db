// Every database engine, for suites that loop over them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '#storage/database.ts';
import { openPostgres } from '#storage/postgres.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

export interface TestEngine {
  /** Makes an empty database; resolves to its address. */
  newDatabase: () => Promise<string>;
  open: (address: string) => Promise<Database>;
  /** An outage of the server; undefined where there is none to go away. */
  server: Pick<TestPostgres, 'pause' | 'resume'> | undefined;
  stop: () => Promise<void>;
}

export const databaseEngines: Record<Database['engine'], () => Promise<TestEngine>> = {
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'tintype-sqlite-'));
    let databases = 0;
    return {
      newDatabase: async () => join(folder, `${(databases += 1)}.db`),
      open: openSqlite,
      server: undefined,
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
  async postgres() {
    const server = await startPostgres();
    return { newDatabase: server.newDatabase, open: (url) => openPostgres(url), server, stop: server.stop };
  },
};
