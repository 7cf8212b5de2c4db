// Builds the object graph by hand, in one visible place. Only this file names implementations.
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { limits } from '#core/limits.ts';
import { systemClock, type Clock } from '#core/clock.ts';
import { passBy, type Reached } from '#core/reached.ts';
import type { Database } from '#storage/database.ts';
import type { Blobs } from '#storage/blobs.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { createAccounts, type Accounts } from '#accounts/accounts.ts';
import { createAdministration } from '#accounts/administration.ts';
import { createAuthentication } from '#accounts/authenticate.ts';
import { createDepartures } from '#accounts/departures.ts';
import { createKeys } from '#accounts/keys.ts';
import { createPlans } from '#accounts/plans.ts';
import type { SignIn, SignInParts } from '#accounts/sign-in.ts';
import { createEgressProxy } from '#browser/egress/proxy.ts';
import type { Browser } from '#browser/browser.ts';
import { createEgressRules, type EgressRules, type Lookup } from '#browser/egress/rules.ts';
import { createCaptureSlots } from '#metering/capture-slots.ts';
import { createAdmission } from '#metering/admission.ts';
import { createRequestLog } from '#metering/request-log.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { createHostedUploads } from '#uploads/hosted-uploads.ts';
import { createSvgSanitizer } from '#uploads/svg-sanitizer.ts';
import { createThumbnails } from '#uploads/thumbnail.ts';
import { createUploadStore } from '#uploads/store-uploads.ts';
import { createHostedRenders } from '#renders/hosted-renders.ts';
import { createRenderQueue } from '#renders/render-queue.ts';
import { createRenders } from '#renders/render.ts';
import type { Patience } from '#http/server.ts';
import type { Config } from '#roof/config.ts';
import { repeat } from '#roof/repeat.ts';

const sweepEveryMs = 15_000;
const orphansEveryMs = 60 * 60_000;
const lastUsedEveryMs = 30_000;
const requestLogEveryMs = 1_000;

export interface Service {
  accounts: Accounts;
  signIn: SignIn;
  database: Database;
  /** Starts to listen; resolves to the port. */
  listen(): Promise<number>;
  /** Finishes what is in flight, then closes everything. */
  close(): Promise<void>;
}

/** What tests and proofs put in the place of the real thing. */
export interface Seams {
  clock: Clock;
  reached: Reached;
  patience: Patience;
  lookup: Lookup;
}

export async function createService(
  config: Config,
  log: Logger,
  seams: Partial<Seams> = {},
): Promise<Service> {
  const { clock = systemClock, reached = passBy, lookup } = seams;
  const plans = createPlans(config.plans);
  const database = await openDatabase(config);
  const uploadBlobs = await openBlobs(config, 'uploads', reached);
  const renderBlobs = await openBlobs(config, 'renders', reached);
  const authentication = createAuthentication({ database, plans, clock });
  const onChange = authentication.forget;
  const accounts = createAccounts({ database, plans, clock, onChange });
  const egressRules = createEgressRules({ allow: config.egressAllow, ...(lookup && { lookup }) });
  // Together: the browser starts in processes of its own while these modules are loaded. The server is loaded here, so that
  // the commands, which need none, start in half the time.
  const [browser, signIn, { createServer, patience }, { createIdempotency }] = await Promise.all([
    openBrowser(config, egressRules, log),
    openSignIn(config, { database, accounts, clock, log, onChange }),
    import('#http/server.ts'),
    import('#http/idempotency.ts'),
  ]);
  const departures = createDepartures({ database, uploadBlobs, renderBlobs, clock, onChange });
  const budget = createRequestBudget({ clock });
  const requestLog = createRequestLog({ database, clock, log });
  const sanitizer = createSvgSanitizer();
  const hostedUploads = createHostedUploads({ database, blobs: uploadBlobs, clock });
  const hostedRenders = createHostedRenders({ database, blobs: renderBlobs, clock });
  const idempotency = createIdempotency({ database, renderBlobs, clock });
  const slots = createCaptureSlots({ database, clock });
  const queue = createRenderQueue({ concurrency: config.renderConcurrency, maxWaitMs: limits.renderQueueMs });
  const server = createServer({
    log,
    clock,
    baseUrl: config.baseUrl,
    contentBaseUrl: config.contentBaseUrl,
    pictureOrigins: await pictureOriginsOf(config, uploadBlobs),
    trustProxy: config.trustProxy,
    tls: config.tls,
    patience: seams.patience ?? patience,
    database,
    plans,
    browser,
    uploadBlobs,
    authentication,
    admission: createAdmission({ authentication, budget, database, plans, clock }),
    renderBlobs,
    signIn,
    departures,
    keys: createKeys({ database, clock, onChange }),
    administration: createAdministration({ database, accounts, clock, onChange }),
    onChange,
    requestLog,
    renderQueue: queue,
    thumbnails: createThumbnails({ blobs: uploadBlobs }),
    budget,
    uploadStore: createUploadStore({ database, blobs: uploadBlobs, clock, sanitizer, reached }),
    hostedUploads,
    renders: createRenders({
      database,
      blobs: renderBlobs,
      clock,
      browser,
      egressRules,
      slots,
      queue,
      reached,
    }),
    hostedRenders,
    idempotency,
  });

  /** Of machines that share a database, one does each round: whoever comes first after nine tenths of the time. */
  const shared = (name: string, everyMs: number, chore: () => Promise<unknown>) =>
    repeat(
      name,
      everyMs,
      async () => {
        const isOurs = (await database.chores?.claim(name, Math.round(everyMs * 0.9), clock.now())) ?? true;
        if (isOurs) await chore();
      },
      log,
    );
  const chores = [
    shared('sweep of uploads', sweepEveryMs, hostedUploads.sweep),
    shared('sweep of renders', sweepEveryMs, hostedRenders.sweep),
    shared('sweep of leases', sweepEveryMs, slots.sweep),
    shared('sweep of remembered answers', orphansEveryMs, idempotency.sweep),
    shared('sweep of orphaned uploads', orphansEveryMs, hostedUploads.sweepOrphans),
    shared('sweep of orphaned renders', orphansEveryMs, hostedRenders.sweepOrphans),
    shared('departures', sweepEveryMs, departures.finish),
    shared('sweep of sessions', orphansEveryMs, signIn.purgeExpired),
    repeat('request log', requestLogEveryMs, requestLog.flush, log),
    shared('sweep of the request log', orphansEveryMs, () => requestLog.sweep()),
    repeat('last use of keys', lastUsedEveryMs, authentication.flushLastUsed, log),
  ];

  return {
    accounts,
    signIn,
    database,
    async listen() {
      const startedAt = clock.now();
      await server.listen({ host: config.host, port: config.port });
      // Whoever has the port has the data, where no other machine shares it.
      if (database.engine === 'sqlite') {
        await slots.forgetBefore(startedAt);
        await idempotency.forgetAttemptsBefore(startedAt);
      }
      const address = server.server.address();
      return typeof address === 'object' && address ? address.port : config.port;
    },
    async close() {
      await server.close();
      await Promise.all(chores.map((chore) => chore.stop()));
      await authentication
        .flushLastUsed()
        .catch((error: unknown) => log.warn({ err: error }, 'last use of keys'));
      await requestLog.flush();
      await signIn.close();
      await sanitizer.close();
      await browser.close();
      await database.close();
    },
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
  const accounts = createAccounts({ database, plans, clock: systemClock });
  return {
    accounts,
    async welcomeLink(email) {
      const log = createLog('silent');
      const parts = { database, accounts, clock: systemClock, log, onChange: () => {} };
      return (await openSignIn(config, parts)).welcomeLink(email);
    },
    close: database.close,
  };
}

/** Loaded when needed: most commands of the operator do not, and it takes half a second. */
async function openSignIn(
  { baseUrl, signups, smtpUrl, mailFrom: from }: Config,
  parts: Omit<SignInParts, 'mailer' | 'baseUrl' | 'signups'>,
): Promise<SignIn> {
  const { createMailer } = await import('#accounts/mailer.ts');
  const { createSignIn } = await import('#accounts/sign-in.ts');
  return createSignIn({
    ...parts,
    baseUrl,
    signups,
    mailer: createMailer({ smtpUrl, from, log: parts.log }),
  });
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

/** A browser whose only way out is a proxy of its own, closed with it. */
export async function openBrowser(config: Config, rules: EgressRules, log: Logger): Promise<Browser> {
  const { createChromiumBrowser } = await import('#browser/chromium-browser.ts');
  const egress = createEgressProxy({ rules });
  const browser = await createChromiumBrowser({
    executable: config.chromiumPath,
    searchPath: config.searchPath,
    cacheFolder: config.cacheDir,
    egress,
    concurrency: config.renderConcurrency,
    log,
  });
  return {
    ...browser,
    async close() {
      await browser.close();
      await egress.close();
    },
  };
}

/** Engines that one machine does not need are loaded only when they are asked for. */
export async function openDatabase({
  databaseUrl,
  databasePoolSize,
  databaseFile,
}: Config): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(databaseFile);
  const { openPostgres } = await import('#storage/postgres.ts');
  return openPostgres(databaseUrl, { poolSize: databasePoolSize });
}

export async function openBlobs(
  config: Config,
  kind: 'uploads' | 'renders',
  reached?: Reached,
): Promise<Blobs> {
  const { storage, redirectsToStorage } = config;
  const folder = join(config.blobsDir, kind);
  if (!storage) return createDiskBlobs(folder, reached);
  const { createS3Blobs } = await import('#storage/s3-blobs.ts');
  const { signedUrl, ...blobs } = await createS3Blobs(
    { ...storage, prefix: `${storage.prefix}${kind}/` },
    folder,
  );
  return redirectsToStorage && signedUrl ? { ...blobs, signedUrl } : blobs;
}

/** The hosts that a share page must let its picture come from. */
async function pictureOriginsOf({ baseUrl, contentBaseUrl }: Config, blobs: Blobs): Promise<string[]> {
  const answer = { contentType: 'image/png', contentDisposition: '', cacheControl: '', lifeSeconds: 1 };
  const example = await blobs.signedUrl?.('example', answer);
  return [
    ...(contentBaseUrl === baseUrl ? [] : [contentBaseUrl]),
    ...(example === undefined ? [] : [new URL(example).origin]),
  ];
}
