// A fleet for tests: service processes on one Postgres and one S3 store, behind a wire that takes them in turn.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import { openPostgres } from '#storage/postgres.ts';
import { createAccounts, type Accounts } from '#accounts/accounts.ts';
import { createPlans, type Plan } from '#accounts/plans.ts';
import { monthOf } from '#metering/quota.ts';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { s3Credentials, startS3, type TestS3 } from './s3.ts';
import { startTcpProxy } from './tcp-proxy.ts';

export interface Machine {
  origin: string;
  /** As if its power had failed. */
  kill: () => Promise<void>;
}

export interface Fleet {
  /** Behind it, the machines take turns. */
  origin: string;
  machines: Machine[];
  postgres: TestPostgres;
  s3: TestS3;
  accounts: Accounts;
  database: Database;
  databaseUrl: string;
  newKey: (plan: string) => Promise<{ key: string; keyId: string; accountId: string; email: string }>;
  /** Rows, counter and ledger of the account's uploads; they must agree. */
  sums: (accountId: string) => Promise<{ rows: number; used: number; ledger: number }>;
  stop: () => Promise<void>;
}

export async function startFleet(options: {
  machines: number;
  plans?: Plan[];
  environment?: Record<string, string>;
  isDurable?: boolean;
}): Promise<Fleet> {
  const { plans = [], environment = {}, isDurable = false } = options;
  const [postgres, s3] = await Promise.all([startPostgres({ isDurable }), startS3()]);
  const folder = await mkdtemp(join(tmpdir(), 'tintype-fleet-'));
  const plansFile = join(folder, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ plans: plans.length > 0 ? plans : createPlans().all }));
  const databaseUrl = await postgres.newDatabase();
  const shared = {
    ...s3Credentials,
    DATABASE_URL: databaseUrl,
    STORAGE_URL: s3.newStorageUrl(),
    PLANS_FILE: plansFile,
    LOG_LEVEL: 'silent',
    ...environment,
  };
  const processes: ChildProcess[] = [];
  // All at once, on an empty database.
  const machines = await Promise.all(
    Array.from({ length: options.machines }, async (_, index) => {
      const { child, port } = await startMachine({ ...shared, DATA_DIR: join(folder, String(index)) });
      processes.push(child);
      return { port, origin: `http://127.0.0.1:${port}`, kill: () => end(child, 'SIGKILL') };
    }),
  );
  const proxy = await startTcpProxy(machines.map(({ port }) => port));
  const database = await openPostgres(databaseUrl);
  const accounts = createAccounts({ database, plans: createPlans(plans), clock: systemClock });
  let accountCount = 0;

  return {
    origin: `http://127.0.0.1:${proxy.port}`,
    machines,
    postgres,
    s3,
    accounts,
    database,
    databaseUrl,
    async newKey(plan) {
      const email = `user${(accountCount += 1)}@example.com`;
      const { id: accountId } = await accounts.create(email, { plan });
      const { key, id: keyId } = await accounts.createKey(email, 'test');
      return { key, keyId, accountId, email };
    },
    async sums(accountId) {
      const counter = { accountId, unit: 'upload', month: monthOf(Date.now()) } as const;
      const [row] = await postgres.query<{ rows: string }>(
        databaseUrl,
        'select count(*) as rows from uploads where account_id = $1',
        [accountId],
      );
      return {
        rows: Number(row?.rows),
        used: (await database.tables.usage.read(counter)).used,
        ledger: (await database.tables.usage.sumOfLedger(counter)).used,
      };
    },
    async stop() {
      await database.close();
      await proxy.close();
      await Promise.all(processes.map((child) => end(child, 'SIGTERM')));
      await postgres.stop();
      await s3.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** With a browser to start, on a machine that does other things too. */
const startMs = 60_000;

/** A service of its own process: npx tintype serve, with this environment. */
export async function startMachine(
  environment: Record<string, string>,
): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const program = join(import.meta.dirname, '..', '..', 'bin', 'tintype.js');
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A test that dies must not leave services behind.
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.removeListener('exit', killWithUs));
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  await eventually(async () => {
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`);
    if (!ok) throw new Error('not ready');
  }, startMs).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`the service did not start: ${complaint}`, { cause: error });
  });
  return { child, port };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
