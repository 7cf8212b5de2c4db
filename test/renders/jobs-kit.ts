// Machines that share a queue of renders: a real database and real stores, and browsers that write files at once.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { noCrashPoints } from '#core/crash-points.ts';
import { newId } from '#core/ids.ts';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createOutgoing } from '#wall/outgoing.ts';
import { createWall } from '#wall/wall.ts';
import type { Database } from '#storage/database.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { AccountRow, WebhookDeliveryRow } from '#storage/schema.ts';
import { callerFor, type Caller } from '#accounts/authenticate.ts';
import { builtInPlans, createPlans, type Plan } from '#accounts/plans.ts';
import { createTransfers } from '#delivery/transfers.ts';
import { createCaptureSlots } from '#metering/capture-slots.ts';
import { monthOf } from '#metering/quota.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { createRendersRoom } from '#renders/room.ts';
import { createPictureMaker } from '#uploads/pictures/picture-maker.ts';
import { receiptOf } from '#api/v2/receipt.ts';
import { receiverAddress } from '#test/support/receiver.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';
import { createTestClock } from '#test/support/clock.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { createWritingBrowser, jobParts, requestFor, type engines } from '#test/renders/kit.ts';
import { accountRow } from '#test/storage/rows.ts';

const roomy = { ...builtInPlans.at(-1)!, id: 'roomy' };
const plans = createPlans([
  roomy,
  { ...roomy, id: 'two-places', queued_renders: 2 },
  { ...roomy, id: 'two-units', renders_per_month: 2, overages: false },
  { ...roomy, id: 'one-slot', concurrent_renders: 1 },
  { ...roomy, id: 'no-slot', concurrent_renders: 0 },
] satisfies Plan[]);

export const webhookUrl = 'https://93.184.216.34/hook';

export type JobsKit = Awaited<ReturnType<typeof openJobsKit>>;

export async function openJobsKit(engine: (typeof engines)[number]) {
  const opened = await engine.database.open();
  const [store, jobStore] = [await engine.blobs.open(), await engine.blobs.open()];
  const { tables, connection } = opened.database;
  const clock = createTestClock(Date.UTC(2026, 4, 5));
  const pictureMaker = createPictureMaker({ browser: idleBrowser, clock });
  // Names do not resolve.
  const wall = createWall({ allow: parseEgressAllow(receiverAddress), nameServers: ['127.0.0.1:1'] });
  const transfers = createTransfers({ outgoing: createOutgoing({ wall }) });
  const results = join(store.folder, 'results');
  await mkdir(results);
  const machines: { close: () => Promise<void>; begin: () => Promise<unknown> }[] = [];
  const slots = createCaptureSlots({ database: opened.database, clock });

  /** Takes jobs only after `open`, and extends leases only when it is told to. */
  function machine({
    concurrency = 1,
    database = opened.database,
    blobs = store.blobs,
    jobBlobs = jobStore.blobs,
    ...change
  }: { concurrency?: number; database?: Database; blobs?: Blobs; jobBlobs?: Blobs } & Partial<
    ReturnType<typeof jobParts>
  > = {}) {
    const browser = createWritingBrowser(results);
    const room = createRendersRoom({
      pictureMaker,
      database,
      blobs,
      clock,
      browser,
      wall,
      transfers,
      slots: createCaptureSlots({ database, clock }),
      concurrency,
      reached: noCrashPoints,
      ...jobParts(jobBlobs),
      describeRender: (render) => receiptOf(render, 'https://files.test'),
      wakeWebhooks: () => {},
      plans,
      ...change,
    });
    const chore = (name: string) => room.chores.find((candidate) => candidate.name === name)!.run();
    const made = {
      ...room,
      open: room.openQueue,
      close: room.closeQueue,
      browser,
      starts: browser.starts,
      begin: () => chore('queued renders'),
      extendLeases: () => chore('leases of queued renders'),
      lookForEnds: () => chore('waits for renders'),
      chore,
      accept: async (payer: Caller, change: AskedChange = {}) => {
        const { url, request = requestFor(['png']) } = change;
        // So that they have an order.
        await clock.advance(1);
        return room.renderJobs.accept(
          payer,
          { request, given: request, webhookUrl: url },
          new AbortController().signal,
          async () => {},
        );
      },
      state: async (payer: Caller, id: string) => (await room.renderHistory.find(payer.accountId, id))?.state,
    };
    machines.push(made);
    return made;
  }

  /** No machine is looking for a job, so none can take again what it holds itself, when its lease ends. */
  const haveLooked = async (): Promise<void> => {
    await Promise.all(machines.map(({ begin }) => begin()));
  };

  return {
    machine,
    clock,
    slots,
    tables,
    connection,
    opened,
    store,
    jobStore,
    async newPayer(plan = 'roomy', change: Partial<AccountRow> = {}): Promise<Caller> {
      const account = accountRow({ id: newId(), plan, ...change });
      await tables.accounts.insert(account);
      return callerFor({ ...account, account_id: account.id, stored_plan: null }, null, plans);
    },
    /** Units in the counter and in the ledger, and what runs and waits. */
    async books({ accountId }: Caller) {
      const counter = { accountId, unit: 'render', month: monthOf(clock.now()) } as const;
      const [{ used }, ledger] = [await tables.usage.read(counter), await tables.usage.sumOfLedger(counter)];
      return { used, ledger: ledger.used, ...(await tables.renderLeases.live(accountId, clock.now())) };
    },
    deliveries: (payer: Caller): Promise<WebhookDeliveryRow[]> =>
      connection
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('account_id', '=', payer.accountId)
        .execute(),
    jobOf: (id: string) =>
      connection.selectFrom('render_jobs').selectAll().where('id', '=', id).executeTakeFirst(),
    async keys(of: 'renders' | 'jobs'): Promise<string[]> {
      const keys: string[] = [];
      const { blobs } = of === 'renders' ? store : jobStore;
      for await (const batch of blobs.list()) keys.push(...batch.map(({ key }) => key));
      return keys;
    },
    ended: (on: Pick<ReturnType<typeof machine>, 'state'>, payer: Caller, id: string): Promise<void> =>
      waitFor(`the end of ${id}`, async () =>
        ['succeeded', 'failed', 'canceled'].includes((await on.state(payer, id)) ?? ''),
      ),
    haveLooked,
    /** Time passes, and the leases that nobody extended run out. */
    async letLeasesEnd() {
      await haveLooked();
      await clock.advance(31_000);
    },
    /** Ends all machines and forgets what is queued. */
    async reset() {
      await Promise.all(machines.splice(0).map((one) => one.close()));
      await connection.deleteFrom('renders').where('state', '=', 'pending').execute();
      await connection.deleteFrom('render_queues').execute();
    },
    async close() {
      pictureMaker.close();
      await opened.close();
      await Promise.all([store.close(), jobStore.close()]);
    },
  };
}

interface AskedChange {
  url?: string;
  request?: RenderRequest;
}
