// The renders room on a real database and a real store, with a browser that writes files at once: what is tested is everything after
// it.
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noCrashPoints } from '#core/crash-points.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { createPhases } from '#core/phases.ts';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createOutgoing } from '#wall/outgoing.ts';
import { createWall } from '#wall/wall.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { Browser, PageReceipt } from '#browser/browser.ts';
import { noAccess, noChanges, plainPdf, plainPicture, plainView } from '#browser/job.ts';
import type { Job, Output, OutputFormat, Source, SentDocument, SourceFile } from '#browser/job.ts';
import { callerFor, type Caller } from '#accounts/authenticate.ts';
import { builtInPlans, createPlans, type Plan } from '#accounts/plans.ts';
import { createTransfers } from '#delivery/transfers.ts';
import { createCaptureSlots } from '#metering/capture-slots.ts';
import { monthOf } from '#metering/quota.ts';
import type { AlsoRecord } from '#renders/record-render.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { createPictureMaker } from '#uploads/pictures/picture-maker.ts';
import { createRendersRoom } from '#renders/room.ts';
import { receiptOf } from '#api/v2/receipt.ts';
import { createLog } from '#roof/log.ts';
import { receiverAddress } from '#test/support/receiver.ts';
import { createTestClock } from '#test/support/clock.ts';
import { blobEngines, databaseEngines } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';

/** One machine, and a fleet. */
export const engines = databaseEngines.map((database, place) => ({
  name: `${database.name} and ${blobEngines[place]!.name}`,
  database,
  blobs: blobEngines[place]!,
}));

export const page: PageReceipt = {
  finalUrl: 'https://93.184.216.34/',
  status: 200,
  title: 'A page',
  width: 1440,
  height: 900,
  warnings: [{ code: 'content_cut', message: 'cut', url: null }],
};

export type Kit = Awaited<ReturnType<typeof openKit>>;

export async function openKit(engine: (typeof engines)[number], wrap: Partial<Wraps> = {}) {
  const { wrapDatabase = unchanged, wrapBlobs = unchanged } = wrap;
  const opened = await engine.database.open();
  const store = await engine.blobs.open();
  const jobStore = await engine.blobs.open();
  const clock = createTestClock(Date.UTC(2026, 4, 5));
  const database = wrapDatabase(opened.database);
  const blobs = wrapBlobs(store.blobs);
  const results = join(store.folder, 'results');
  await mkdir(results);
  const browser = createWritingBrowser(results);
  // Names do not resolve.
  const wall = createWall({ allow: parseEgressAllow(receiverAddress), nameServers: ['127.0.0.1:1'] });
  const transfers = createTransfers({ outgoing: createOutgoing({ wall }) });
  const slots = createCaptureSlots({ database, clock });
  const pictureMaker = createPictureMaker({ browser: idleBrowser, clock });
  const room = createRendersRoom({
    pictureMaker,
    database,
    blobs,
    clock,
    browser,
    wall,
    transfers,
    slots,
    concurrency: 8,
    describeRender: (render) => receiptOf(render, 'https://bytes.test'),
    wakeWebhooks: () => {},
    reached: noCrashPoints,
    ...jobParts(jobStore.blobs),
  });

  return {
    ...room,
    clock,
    slots,
    transfers,
    database: opened.database,
    blobs: store.blobs,
    browser,
    /** An account with so many units, and slots. */
    async newPayer(change: Partial<Plan> = {}): Promise<Caller> {
      const plans = createPlans([{ ...builtInPlans[0]!, ...change, id: 'tested' }]);
      const account = accountRow({ plan: 'tested' });
      await opened.database.tables.accounts.insert(account);
      return callerFor({ ...account, account_id: account.id, stored_plan: null }, null, plans);
    },
    render: (payer: Caller, request: RenderRequest, alsoRecord: AlsoRecord = async () => {}) =>
      room.renders.renderNow(payer, request, new AbortController().signal, alsoRecord, createPhases()),
    /** Units in the counter and in the ledger, and leases that are held. */
    async books({ accountId }: Caller) {
      const counter = { accountId, unit: 'render', month: monthOf(clock.now()) } as const;
      const { usage, renderLeases } = opened.database.tables;
      const { leases } = await renderLeases.live(accountId, clock.now());
      const [{ used }, ledger] = [await usage.read(counter), await usage.sumOfLedger(counter)];
      return { used, ledger: ledger.used, leases };
    },
    async keys(): Promise<string[]> {
      const keys: string[] = [];
      for await (const batch of store.blobs.list()) keys.push(...batch.map(({ key }) => key));
      return keys.toSorted();
    },
    async close() {
      pictureMaker.close();
      await opened.close();
      await store.close();
      await jobStore.close();
    },
  };
}

/** What a room needs for queued renders; their requests are stored as they are lowered. */
export const jobParts = (jobBlobs: Blobs) => ({
  jobBlobs,
  plans: createPlans(),
  log: createLog('silent'),
  lowerRequest(given: unknown, files: SourceFile[], document?: SentDocument): RenderRequest {
    const request = structuredClone(given) as RenderRequest;
    const { source } = request.job;
    if (source.kind !== 'url') Object.assign(source, { files, ...document });
    return request;
  },
});

interface Wraps {
  wrapDatabase: (database: Database) => Database;
  wrapBlobs: (blobs: Blobs) => Blobs;
}

const unchanged = <T>(part: T): T => part;

export const contentOf = (format: OutputFormat, place: number): string => `${format} of place ${place}`;

export interface WritingBrowser extends Browser {
  /** Called before a render. */
  before: (job: Job, signal: AbortSignal) => Promise<void>;
  /** What it says of every page. */
  page: PageReceipt;
  /** The account of each render that has begun. */
  starts: string[];
  /** Files are at least this large. */
  padTo: number;
}

/** Writes each output's format and place into its file; a test may make it fail first. */
export function createWritingBrowser(folder: string): WritingBrowser {
  const browser: WritingBrowser = {
    before: async () => {},
    page,
    starts: [],
    padTo: 0,
    async render(job, signal) {
      browser.starts.push(job.account ?? '');
      await browser.before(job, signal);
      const files = await Promise.all(
        job.outputs.map(async ({ format }, place) => {
          const path = join(folder, newId());
          const bytes = Buffer.from(contentOf(format, place).padEnd(browser.padTo));
          await writeFile(path, bytes);
          return {
            path,
            sizeBytes: bytes.length,
            sha256: createHash('sha256').update(bytes).digest('hex'),
            width: format === 'png' ? 640 : null,
            height: format === 'png' ? 480 : null,
            pages: format === 'pdf' ? 3 : null,
            truncated: false,
          };
        }),
      );
      return {
        outputs: files,
        page: browser.page,
        async [Symbol.asyncDispose]() {
          await Promise.all(files.map(({ path }) => rm(path, { force: true })));
        },
      };
    },
    ...idleBrowser,
  };
  return browser;
}

/** A public address, so that nothing is looked up. */
const url = 'https://93.184.216.34/a?token=secret';

export const requestFor = (
  formats: OutputFormat[],
  change: Partial<RenderRequest> & { source?: Source } = {},
): RenderRequest => {
  const { source = { kind: 'url', url }, ...rest } = change;
  return {
    version: 2,
    job: {
      source,
      view: { ...plainView, width: 640, height: 480 },
      access: noAccess,
      changes: noChanges,
      waits: {
        until: 'settled',
        settles: true,
        for: [],
        delayMs: 0,
        failOn: [],
        navigationMs: limits.navigationMs,
      },
      outputs: formats.map(outputOf),
      timeoutMs: 60_000,
    },
    options: { formats },
    reference: null,
    isHosted: true,
    expiresInSeconds: undefined,
    ...rest,
  };
};

function outputOf(format: OutputFormat): Output {
  if (format === 'pdf') return { ...plainPdf, paper: { width: 8.5, height: 11 } };
  if (format === 'png' || format === 'jpeg' || format === 'webp') return { ...plainPicture, format };
  return { format, selector: null, mainContent: false };
}
