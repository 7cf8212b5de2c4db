// A fleet for tests: service processes on one Postgres and one S3 store, behind a proxy that uses them in turn.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import { openPostgres } from '#storage/postgres.ts';
import { createAccounts, type Accounts } from '#accounts/accounts.ts';
import { builtInPlans, createPlans, type Plan } from '#accounts/plans.ts';
import { monthOf } from '#metering/quota.ts';
import { query, startPostgres, type TestPostgres } from '#test/support/postgres.ts';
import { serveUntilReady } from '#test/support/processes.ts';
import { s3Credentials, startS3, type TestS3 } from '#test/support/s3.ts';
import { startTcpProxy } from '#test/support/tcp-proxy.ts';

interface Machine {
  origin: string;
  end: (signal?: NodeJS.Signals) => Promise<unknown>;
}

export interface Fleet {
  /** Forwards to the machines in turn. */
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
  await writeFile(plansFile, JSON.stringify({ plans: plans.length > 0 ? plans : builtInPlans }));
  const databaseUrl = await postgres.newDatabase();
  const shared = {
    ...s3Credentials,
    DATABASE_URL: databaseUrl,
    STORAGE_URL: s3.newStorageUrl(),
    PLANS_FILE: plansFile,
    LOG_LEVEL: 'silent',
    ...environment,
  };
  // All at once, on an empty database.
  const machines = await Promise.all(
    Array.from({ length: options.machines }, async (_, index) => {
      const serving = await serveUntilReady({ ...shared, DATA_DIR: join(folder, String(index)) });
      // A test that dies must not leave services behind.
      process.once('exit', () => serving.child.kill('SIGKILL'));
      return { origin: serving.origin, end: serving.end };
    }),
  );
  const proxy = await startTcpProxy(machines.map(({ origin }) => Number(new URL(origin).port)));
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
      const [row] = await query<{ rows: string }>(
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
      await Promise.all(machines.map((machine) => machine.end()));
      await postgres.stop();
      await s3.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
