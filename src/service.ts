// Builds the object graph by hand, in one visible place. Only this file names implementations.
import { pino, type Logger } from 'pino';
import { systemClock, type Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { createAccounts, type Accounts } from '#accounts/accounts.ts';
import { createAuthentication } from '#accounts/authenticate.ts';
import { createPlans } from '#accounts/plans.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { createHostedUploads } from '#uploads/hosted-uploads.ts';
import { createSvgSanitizer } from '#uploads/svg-sanitizer.ts';
import { createUploadStore } from '#uploads/store-uploads.ts';
import type { Config } from '#roof/config.ts';
import { repeat } from '#roof/repeat.ts';

const sweepEveryMs = 15_000;
const orphansEveryMs = 60 * 60_000;
const lastUsedEveryMs = 30_000;

export interface Service {
  accounts: Accounts;
  database: Database;
  /** Starts to listen; resolves to the port. */
  listen(): Promise<number>;
  /** Finishes what is in flight, then closes everything. */
  close(): Promise<void>;
}

export async function createService(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
): Promise<Service> {
  const plans = createPlans(config.plans);
  const database = await openDatabase(config);
  const blobs = await createDiskBlobs(config.blobsDir);
  const authentication = createAuthentication({ database, plans, clock });
  const accounts = createAccounts({ database, plans, clock, onChange: authentication.forget });
  const sanitizer = createSvgSanitizer();
  const hostedUploads = createHostedUploads({ database, blobs, clock });
  // Loaded here, so that the commands, which need no server, start in half the time.
  const { createServer } = await import('#http/server.ts');
  const server = createServer({
    log,
    clock,
    baseUrl: config.baseUrl,
    trustProxy: config.trustProxy,
    tls: config.tls,
    database,
    blobs,
    authentication,
    budget: createRequestBudget({ clock }),
    uploadStore: createUploadStore({ database, blobs, clock, sanitizer }),
    hostedUploads,
  });

  const chores = [
    repeat('sweep', sweepEveryMs, hostedUploads.sweep, log),
    repeat('sweep of orphans', orphansEveryMs, hostedUploads.sweepOrphans, log),
    repeat('last use of keys', lastUsedEveryMs, authentication.flushLastUsed, log),
  ];

  return {
    accounts,
    database,
    async listen() {
      await server.listen({ host: config.host, port: config.port });
      const address = server.server.address();
      return typeof address === 'object' && address ? address.port : config.port;
    },
    async close() {
      await server.close();
      await Promise.all(chores.map((chore) => chore.stop()));
      await authentication.flushLastUsed();
      await sanitizer.close();
      await database.close();
    },
  };
}

/** What the command line needs: the same data, without a server. */
export async function openAccounts(
  config: Config,
): Promise<{ accounts: Accounts; close: () => Promise<void> }> {
  const plans = createPlans(config.plans);
  const database = await openDatabase(config);
  return { accounts: createAccounts({ database, plans, clock: systemClock }), close: database.close };
}

export function createLog(level: string): Logger {
  return pino({
    level,
    // Nothing logs headers today; should something start to, these stay out.
    redact: [
      'headers.authorization',
      'headers.cookie',
      'req.headers.authorization',
      'req.headers.cookie',
      '*.token',
      '*.key_hash',
    ],
  });
}

function openDatabase(config: Config): Promise<Database> {
  return openSqlite(config.databaseFile);
}
