// Builds the object graph by hand, in one visible place, room by room.
import type { Logger } from 'pino';
import type { Chore } from '#core/chore.ts';
import { systemClock, type Clock } from '#core/clock.ts';
import { noCrashPoints, type OnCrashPoint } from '#core/crash-points.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { clockOf } from '#storage/database-clock.ts';
import type { Lookup } from '#browser/egress/names.ts';
import { createEgressRules } from '#browser/egress/rules.ts';
import { createAccountDeletion } from '#accounts/account-deletion.ts';
import { createAccounts, type Accounts } from '#accounts/accounts.ts';
import { createPlans } from '#accounts/plans.ts';
import { createAccountsRoom, openSignIn } from '#accounts/room.ts';
import type { SignIn } from '#accounts/sign-in.ts';
import { createMeteringRoom } from '#metering/room.ts';
import { createUploadsRoom } from '#uploads/room.ts';
import { createRendersRoom } from '#renders/room.ts';
import type { ConnectionTimeouts } from '#http/listener.ts';
import { version, type Config } from '#roof/config.ts';
import { openBlobs, openBrowser, openDatabase } from '#roof/engines.ts';
import { createLog } from '#roof/log.ts';
import { repeat } from '#roof/repeat.ts';

export interface Service {
  accounts: Accounts;
  signIn: SignIn;
  database: Database;
  /** Starts to listen; resolves to the port. */
  listen(): Promise<number>;
  /** Finishes what is in flight, then closes everything. */
  close(): Promise<void>;
  /** Breaks off what is in flight and ends the browser, for a process that cannot go on. */
  abandon(): Promise<void>;
}

/** What tests and proofs put in the place of the real thing. */
export interface Seams {
  clock: Clock;
  reached: OnCrashPoint;
  timeouts: ConnectionTimeouts;
  lookup: Lookup;
  openBrowser: typeof openBrowser;
  /** Put faults between the service and what it stands on. */
  wrapDatabase: (database: Database) => Database;
  wrapBlobs: (blobs: Blobs) => Blobs;
}

const asItIs = <T>(part: T): T => part;

export async function createService(
  config: Config,
  log: Logger,
  seams: Partial<Seams> = {},
): Promise<Service> {
  const { clock: machineClock = systemClock, reached = noCrashPoints, timeouts, lookup } = seams;
  const { wrapDatabase = asItIs, wrapBlobs = asItIs, openBrowser: open = openBrowser } = seams;
  const plans = createPlans(config.plans);
  const database = wrapDatabase(await openDatabase(config));
  const clock = clockOf(database, machineClock);
  const uploadBlobs = wrapBlobs(await openBlobs(config, 'uploads', reached));
  const renderBlobs = wrapBlobs(await openBlobs(config, 'renders', reached));
  const egressRules = createEgressRules({ allow: config.egressAllow, ...(lookup && { lookup }) });
  // Together: the browser starts in processes of its own while these modules are loaded. The server is loaded here, so that
  // the commands, which need none, start in half the time.
  const [browser, accounts, { createServer }] = await Promise.all([
    open(config, egressRules, log),
    createAccountsRoom({ database, plans, clock, log, settings: config }),
    import('#http/server.ts'),
  ]);
  const metering = createMeteringRoom({ database, clock, log, ...accounts });
  const uploads = createUploadsRoom({ database, blobs: uploadBlobs, clock, reached });
  const renders = createRendersRoom({
    database,
    blobs: renderBlobs,
    browser,
    egressRules,
    slots: metering.slots,
    concurrency: config.renderConcurrency,
    clock,
    reached,
  });
  const accountDeletion = createAccountDeletion({
    database,
    clock,
    onChange: accounts.onChange,
    purgeFiles: [uploads.hostedUploads.purgeAccount, renders.hostedRenders.purgeAccount],
  });
  const server = createServer({
    log,
    clock,
    settings: {
      ...addressOf(config),
      pictureOrigins: await pictureOriginsOf(config, uploadBlobs),
      timeouts,
      version,
      dataDir: config.databaseUrl !== undefined && config.storage ? undefined : config.dataDir,
    },
    database,
    browser,
    accounts: { ...accounts, accountDeletion },
    metering,
    uploads,
    renders,
  });
  const chores = [accounts, metering, uploads, renders, accountDeletion, server].flatMap((room) =>
    room.chores.map((chore) => start(chore)),
  );

  function start({ name, everyMs, run, onEveryMachine = false }: Chore) {
    const { chores: table } = database;
    if (onEveryMachine || !table) return repeat(name, everyMs, run, log);
    /** Whichever machine comes first after nine tenths of the time does the round. */
    const runIfFirst = async () => {
      if (await table.claim(name, Math.round(everyMs * 0.9), clock.now())) await run();
    };
    return repeat(name, everyMs, runIfFirst, log);
  }

  return {
    accounts: accounts.accounts,
    signIn: accounts.signIn,
    database,
    async listen() {
      const startedAt = clock.now();
      const port = await server.listen();
      // Whoever has the port has the data, where no other machine shares it: what ran before is not running any more.
      if (database.engine === 'sqlite') {
        await metering.slots.forgetBefore(startedAt);
        await server.forgetAttemptsBefore(startedAt);
      }
      return port;
    },
    async close() {
      await server.close();
      await Promise.all(chores.map((chore) => chore.stop()));
      await accounts.close();
      await metering.close();
      await uploads.close();
      await browser.close();
      await database.close();
    },
    abandon: () => browser.close(),
  };
}

/** What the command line needs: the same data, without a server. */
export async function openAccounts(config: Config): Promise<{
  accounts: Accounts;
  /** A one-time link that signs its bearer in at the dashboard. */
  welcomeLink: (email: string) => Promise<string>;
  close: () => Promise<void>;
}> {
  const plans = createPlans(config.plans);
  const database = await openDatabase(config);
  const clock = clockOf(database, systemClock);
  const accounts = createAccounts({ database, plans, clock });
  return {
    accounts,
    async welcomeLink(email) {
      const log = createLog('silent');
      const parts = { database, accounts, clock, log, onChange: () => {} };
      return (await openSignIn(config, parts)).welcomeLink(email);
    },
    close: database.close,
  };
}

/** Picked, not spread: other settings have the names of parts, such as `plans`. */
const addressOf = ({ host, port, baseUrl, contentBaseUrl, corsOrigins, trustProxy, tls }: Config) => ({
  host,
  port,
  baseUrl,
  contentBaseUrl,
  corsOrigins,
  trustProxy,
  tls,
});

/** The hosts that a share page must let its picture come from. */
async function pictureOriginsOf({ baseUrl, contentBaseUrl }: Config, blobs: Blobs): Promise<string[]> {
  const answer = { contentType: 'image/png', contentDisposition: '', cacheControl: '', lifeSeconds: 1 };
  const example = await blobs.signedUrl?.('example', answer);
  return [
    ...(contentBaseUrl === baseUrl ? [] : [contentBaseUrl]),
    ...(example === undefined ? [] : [new URL(example).origin]),
  ];
}
