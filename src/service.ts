// Wires the service together, room by room.
import type { Logger } from 'pino';
import { seconds, type Chore } from '#core/chore.ts';
import { systemClock, type Clock } from '#core/clock.ts';
import { noCrashPoints, type OnCrashPoint } from '#core/crash-points.ts';
import { connectionsFor, enoughFiles, openFileLimit } from '#core/open-files.ts';
import { version } from '#core/programs.ts';
import { createTimings } from '#core/timings.ts';
import { createWall } from '#wall/wall.ts';
import { createCell } from '#cell/cell.ts';
import { startingBrowser } from '#browser/starting-browser.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { clockOf } from '#storage/database-clock.ts';
import { timeBlobs } from '#storage/timed-blobs.ts';
import { createAccountDeletion } from '#accounts/account-deletion.ts';
import { createAccounts } from '#accounts/accounts.ts';
import { installationSecret } from '#accounts/installation-secret.ts';
import { createLinkKeys } from '#accounts/link-keys.ts';
import type { PasswordScheme } from '#accounts/password-hashing.ts';
import { createPlans } from '#accounts/plans.ts';
import { createAccountsRoom, openSignIn } from '#accounts/room.ts';
import { createDeliveryRoom, type DeliveryRoom } from '#delivery/room.ts';
import { createWebhookSecrets } from '#delivery/webhook-secrets.ts';
import { createMeteringRoom } from '#metering/room.ts';
import { createUploadsRoom } from '#uploads/room.ts';
import type { RenderChanges } from '#renders/render-messages.ts';
import { createRendersRoom } from '#renders/room.ts';
import { receiptOf } from '#api/v2/receipt.ts';
import { uploadLinks } from '#http/addresses.ts';
import type { Config } from '#roof/config.ts';
import { openBlobs, openBrowser, openDatabase } from '#roof/engines.ts';
import { createLog } from '#roof/log.ts';
import { repeat } from '#roof/repeat.ts';

export type Service = Awaited<ReturnType<typeof createService>>;

/** Parts that tests and proofs replace. */
export interface Seams {
  clock: Clock;
  reached: OnCrashPoint;
  nameServers: readonly string[];
  openBrowser: typeof openBrowser;
  passwordScheme: PasswordScheme;
  /** Inject faults between the service and its database or blobs. */
  wrapDatabase: (database: Database) => Database;
  wrapBlobs: (blobs: Blobs) => Blobs;
}

/** Where the server is, and who may reach it. */
const ownAddress = [
  'host',
  'port',
  'metricsPort',
  'baseUrl',
  'contentBaseUrl',
  'corsOrigins',
  'trustProxy',
  'tls',
] as const;

const unchanged = <T>(part: T): T => part;

export async function createService(config: Config, log: Logger, seams: Partial<Seams> = {}) {
  const { clock: machineClock = systemClock, reached = noCrashPoints, nameServers } = seams;
  const { wrapDatabase = unchanged, wrapBlobs = unchanged, openBrowser: open = openBrowser } = seams;
  const plans = createPlans(config.plans);
  const database = wrapDatabase(await openDatabase(config));
  const clock = clockOf(database, machineClock);
  const storeTimings = createTimings();
  const openStore = async (kind: Parameters<typeof openBlobs>[1]): Promise<Blobs> =>
    timeBlobs(wrapBlobs(await openBlobs(config, kind, reached)), storeTimings.note);
  const uploadBlobs = await openStore('uploads');
  await requireStore(uploadBlobs, config);
  const renderBlobs = await openStore('renders');
  const jobBlobs = await openStore('jobs');
  const wall = createWall({ allow: config.egressAllow, ...(nameServers && { nameServers }) });
  // In parallel: the browser's processes start while these modules load, and the service answers before the browser is ready. The server is
  // imported here, so that commands, which do not need it, start in half the time.
  const browser = startingBrowser(open(config, log));
  const [accounts, { createServer }, { lowerStored }] = await Promise.all([
    createAccountsRoom({
      database,
      plans,
      clock,
      log,
      settings: config,
      passwordScheme: seams.passwordScheme,
    }),
    import('#server/server.ts'),
    import('#api/v2/lower-request.ts'),
  ]);
  const delivery: DeliveryRoom = createDeliveryRoom({
    database,
    // Made after this room, and before anything is sent.
    renderMessage: (accountId, renderId, changes) =>
      renders.renderMessage(accountId, renderId, changes as RenderChanges),
    clock,
    log,
    wall,
    baseUrl: config.baseUrl,
    mailer: accounts.mailer,
  });
  const metering = createMeteringRoom({ database, clock, log, baseUrl: config.baseUrl, ...accounts });
  const cell = createCell({ clock });
  const uploads = createUploadsRoom({
    database,
    blobs: uploadBlobs,
    clock,
    cell,
    browser,
    reached,
    linksOf: (slug) => uploadLinks(config, slug),
    wakeWebhooks: delivery.wakeWebhooks,
    secret: await installationSecret(database),
  });
  const renders = createRendersRoom({
    database,
    blobs: renderBlobs,
    jobBlobs,
    browser,
    wall,
    slots: metering.slots,
    transfers: delivery.transfers,
    pictureMaker: uploads.pictureMaker,
    concurrency: config.renderConcurrency,
    plans,
    lowerRequest: (given, files, document) => lowerStored(given, files, config, document),
    describeRender: (render) => receiptOf(render, config.contentBaseUrl),
    wakeWebhooks: delivery.wakeWebhooks,
    clock,
    log,
    reached,
  });
  const accountDeletion = createAccountDeletion({
    database,
    clock,
    purgeFiles: [
      uploads.hostedUploads.purgeAccount,
      renders.renderJobs.purgeAccount,
      renders.hostedRenders.purgeAccount,
    ],
  });
  const server = createServer({
    log,
    clock,
    settings: {
      ...pick(config, ownAddress),
      pictureOrigins: await pictureOriginsOf(config, uploadBlobs),
      maxConnections: clientsAtOnce(log),
      blockedHostsFile: config.blockedHostsFile,
      version,
      dataDir: config.databaseUrl !== undefined && config.storage ? undefined : config.dataDir,
    },
    database,
    storeTimings,
    browser,
    accounts: { ...accounts, accountDeletion },
    delivery,
    metering,
    uploads,
    renders,
    cell,
  });
  const rooms = [accounts, delivery, metering, uploads, renders, accountDeletion, server];
  const newerBrowser: Chore = {
    name: 'the look for a newer browser',
    everyMs: seconds(60),
    run: () => browser.renew(),
    onEveryMachine: true,
  };
  const chores = [newerBrowser, ...rooms.flatMap((room) => room.chores)].map((chore) => start(chore));

  function start({ name, everyMs, run, onEveryMachine = false }: Chore) {
    const { chores: table } = database;
    if (onEveryMachine || !table) return repeat(name, everyMs, run, { clock, log });
    /** The first machine to claim the chore after 90 percent of its interval runs it. */
    const runIfFirst = async () => {
      if (await table.claim(name, Math.round(everyMs * 0.9), clock.now())) await run();
    };
    return repeat(name, everyMs, runIfFirst, { clock, log });
  }

  return {
    accounts: accounts.accounts,
    signIn: accounts.signIn,
    database,
    /** Rejects with the reason if no browser can be started. */
    browserStarted: browser.started,
    /** Starts listening; resolves to the port. */
    async listen(): Promise<number> {
      const startedAt = clock.now();
      const port = await server.listen();
      // With SQLite no other machine shares the data, and this process holds the port: renders and attempts from before are over.
      if (database.engine === 'sqlite') {
        await metering.slots.forgetBefore(startedAt);
        await delivery.forgetLeases();
        await renders.forgetFlights();
        await renders.renderJobs.forgetLeases();
        await server.forgetAttemptsBefore(startedAt);
      }
      renders.openQueue();
      return port;
    },
    /** Finishes the requests in flight, then closes everything. */
    async close(): Promise<void> {
      await renders.closeQueue();
      await server.close();
      await delivery.close();
      await Promise.all(chores.map((chore) => chore.stop()));
      await accounts.close();
      await metering.close();
      uploads.close();
      await cell.close();
      await renders.close();
      await browser.close();
      await database.close();
    },
    /** Aborts the renders in flight by ending the browser, for a process that cannot continue. */
    abandon: (): Promise<void> => browser.close(),
  };
}

/** What the command line needs: access to the same data without a server. */
export async function openAccounts(config: Config) {
  const plans = createPlans(config.plans);
  const database = await openDatabase(config);
  const clock = clockOf(database, systemClock);
  const accounts = createAccounts({ database, plans, clock });
  const log = createLog('silent');
  return {
    accounts,
    webhookSecrets: createWebhookSecrets({ database, clock }),
    linkKeys: createLinkKeys({ database, plans, clock }),
    /** A running service deletes the files. */
    deletion: createAccountDeletion({ database, clock, purgeFiles: [] }),
    /** A one-time link that signs in the person who opens it. */
    async welcomeLink(email: string): Promise<string> {
      const parts = { database, accounts, clock, log };
      return (await openSignIn(config, parts)).welcomeLink(email);
    },
    close: database.close,
  };
}

/** A store that does not respond ends the start, like a database that does not. */
async function requireStore(blobs: Blobs, { storage }: Config): Promise<void> {
  try {
    await blobs.ping();
  } catch (error) {
    const { message, code, name } = error as NodeJS.ErrnoException;
    const reason = message || (code ?? name);
    throw new Error(
      `${storage ? 'STORAGE_URL' : 'DATA_DIR'}: the store of files does not respond (${reason})`,
      {
        cause: error,
      },
    );
  }
}

/** Warns if the system allows so few open files that clients get fewer connections. */
function clientsAtOnce(log: Logger): number {
  const openFiles = openFileLimit();
  const clients = connectionsFor(openFiles);
  if (openFiles < enoughFiles)
    log.warn(
      { openFiles },
      `few open files are allowed: at most ${clients} connections of clients at once; ` +
        `raise the limit to ${enoughFiles} (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of a container)`,
    );
  return clients;
}

/** Some settings, such as `plans`, have the same names as parts: a part that needs a few settings gets these alone. */
function pick<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

/** The origins from which a share page may load its picture. */
async function pictureOriginsOf({ baseUrl, contentBaseUrl }: Config, blobs: Blobs): Promise<string[]> {
  const answer = { contentType: 'image/png', contentDisposition: '', cacheControl: '', lifeSeconds: 1 };
  const example = await blobs.signedUrl?.('example', answer);
  return [
    ...(contentBaseUrl === baseUrl ? [] : [contentBaseUrl]),
    ...(example === undefined ? [] : [new URL(example).origin]),
  ];
}
