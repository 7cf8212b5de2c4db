// One render from top to bottom: check the target, take a capture slot and reserve the units, wait for a slot on the machine, run the
// browser, then store files, row and units together. A failure releases slot and units and meters nothing. Spec 4.3, 4.4; v2 2.
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Phases } from '#core/phases.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { EgressRules } from '#wall/rules.ts';
import type { Wall } from '#wall/wall.ts';
import type { Blobs, OpenBlob } from '#storage/blobs.ts';
import { UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import { RenderFailure, type Browser, type PageReceipt } from '#browser/browser.ts';
import type { ReferenceFile, Source } from '#browser/job.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { listensTo } from '#delivery/events.ts';
import type { Transfers } from '#delivery/transfers.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';
import { consumeUnits, type QuotaState } from '#metering/quota.ts';
import { createOutputKeeper, type KeptOutputs } from '#renders/keep-outputs.ts';
import { chargedOf, unitsOf } from '#renders/output-files.ts';
import { checkPuts, putOutputs, withFailures, type CheckedPut } from '#renders/put-outputs.ts';
import type { RenderEvents } from '#renders/render-events.ts';
import { toServiceError } from '#renders/render-failure.ts';
import type { RenderQueue } from '#renders/render-queue.ts';
import { createReferences } from '#renders/references.ts';
import { requireStorable, type RenderRequest } from '#renders/render-request.ts';
import {
  failedRow,
  finishedRow,
  isKept,
  pendingRow,
  type BegunRender,
  type MadeRender,
} from '#renders/render-row.ts';
import { timingOf, toStoredRender, type RenderTiming, type StoredRender } from '#renders/stored-render.ts';
import { targetOf } from '#renders/target-url.ts';

/** A render that succeeded, as `GET` will show it, and what only its own response has. */
export interface FinishedRender extends StoredRender {
  durationMs: number;
  page: PageReceipt;
  timing: RenderTiming;
  /** Of a render that is not hosted. Whoever holds them must send or dispose them. */
  bytes: OpenBlob | undefined;
  quota: QuotaState;
}

/** Runs in the transaction that meters the render, so that what it writes commits or rolls back with it. */
export type AlsoRecord = (tables: Tables, render: FinishedRender) => Promise<void>;

/** The render has ended without this process: it was canceled, or another machine has taken it over. */
export class LostRenderError extends Error {
  readonly isCanceled: boolean;

  constructor({ isCanceled }: { isCanceled: boolean }) {
    super(isCanceled ? 'the render was canceled' : 'another machine has taken over the render');
    this.isCanceled = isCanceled;
  }
}

/** Then its files are under the same keys as those of the other machine. */
const isTakenOver = (error: unknown): boolean => error instanceof LostRenderError && !error.isCanceled;

export interface Performing {
  /** Gives back the slot and the reserved units, in the transaction that meters the render. */
  release: (tables: Tables) => Promise<void>;
  /** Called before outputs are sent elsewhere. Both are kept for at least so long, whatever the client does. */
  beforeSending: (ms: number) => Promise<void>;
  signal: AbortSignal;
  alsoRecord: AlsoRecord;
  phases: Phases;
  /** Called when the render has its place on the machine. */
  onPlace?: () => void;
  /** Called before files are stored under the render's id; throws LostRenderError if they would not be its own. */
  beforeStore?: () => Promise<void>;
}

export interface RendersParts {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  browser: Browser;
  wall: Wall;
  slots: CaptureSlots;
  queue: RenderQueue;
  transfers: Transfers;
  events: RenderEvents;
  reached: OnCrashPoint;
}

/** A render that ran, or waited to run, for the metrics. */
interface RenderEnd {
  /** `succeeded`, or why it failed: the browser's reason or an error code. */
  result: string;
  queueMs: number;
  /** Without the wait in the queue. */
  durationMs: number;
}

// Neither failures nor canceled renders are metered, so nothing else bounds how many rows they leave.
export const keptFailures = 200;

export type Renders = ReturnType<typeof createRenders>;

export function createRenders(parts: RendersParts) {
  const { database, clock, browser, wall, slots, queue, transfers, events, reached } = parts;
  const keep = createOutputKeeper(parts);
  const references = createReferences(parts);
  let noteEnd: (end: RenderEnd) => void = () => {};

  /** Where the pages of this account may go: with the private hosts that it was granted. */
  const rulesFor = ({ allowedHosts }: Caller): EgressRules => wall.rulesFor('page', allowedHosts);

  /** Takes a capture slot for the render, and gives it back at the end. */
  async function renderNow(
    payer: Caller,
    request: RenderRequest,
    signal: AbortSignal,
    alsoRecord: AlsoRecord,
    phases: Phases,
  ): Promise<FinishedRender> {
    const begun = begin(payer, request);
    await references.checkReferences(payer.accountId, request);
    const { leaseId } = await slots.acquire(payer, unitsOf(request.job.outputs));
    reached('lease taken');
    const release = (tables: Tables): Promise<void> => tables.renderLeases.delete(leaseId);
    const beforeSending = (ms: number): Promise<void> => slots.extend(leaseId, ms);
    try {
      return await perform(begun, { release, beforeSending, signal, alsoRecord, phases });
    } catch (error) {
      await slots.release(leaseId);
      if (!(error instanceof RenderFailure)) throw error;
      if (error.reason !== 'other_size') await recordFailure(begun, error);
      throw toServiceError(begun, error);
    }
  }

  /** Where outputs go. Refuses an address that is known to be out of bounds. */
  const putsOf = ({ puts = [] }: RenderRequest): CheckedPut[] => checkPuts(puts, wall);

  /** Refuses a request whose target is known to be out of bounds, before it costs anything. */
  function begin(
    payer: Caller,
    request: RenderRequest,
    { id = newId(), createdAt = clock.now() }: Partial<Pick<BegunRender, 'id' | 'createdAt'>> = {},
  ): BegunRender {
    const target = targetOf(request.job.source, rulesFor(payer));
    requireStorable(request);
    return { id, payer, request, target, puts: putsOf(request), createdAt };
  }

  /** From the look-up to the commit. If it throws, nothing is recorded, and the slot is the caller's to give back. */
  async function perform(begun: BegunRender, performing: Performing): Promise<FinishedRender> {
    const { measuredMs } = performing.phases;
    const startedAt = performance.now();
    let result = 'succeeded';
    try {
      return await performNow(begun, performing);
    } catch (error) {
      result = resultOf(error);
      throw error;
    } finally {
      const queueMs = measuredMs['queue'] ?? 0;
      noteEnd({ result, queueMs, durationMs: performance.now() - startedAt - queueMs });
    }
  }

  async function performNow(begun: BegunRender, performing: Performing): Promise<FinishedRender> {
    const { payer, request, target, puts } = begun;
    const { signal, phases, onPlace, beforeStore } = performing;
    try {
      // Before waiting for a slot on the machine, so that a slow DNS look-up does not hold one that another account could use.
      phases.begin('resolve');
      await Promise.all(puts.map(({ decide }) => decide(signal)));
      await target.resolve(signal);
      await using earlier = await references.openReferences(payer.accountId, request);
      phases.begin('queue');
      const { result, startedAt } = await queue.run(
        payer.accountId,
        async () => {
          onPlace?.();
          return { startedAt: performance.now(), result: await run(begun, earlier.files, signal, phases) };
        },
        { signal },
      );
      await using rendered = result;
      reached('page rendered');
      const durationMs = Math.round(performance.now() - startedAt);
      phases.begin('store');
      await beforeStore?.();
      const kept = await keep(rendered.outputs, request.job.outputs, {
        id: begun.id,
        accountId: payer.accountId,
        isHosted: request.isHosted,
        isKept: isKept(request),
        sent: puts.map(({ place }) => place),
      });
      const page = puts.length === 0 ? rendered.page : await deliver(begun, rendered.page, kept, performing);
      const made = { outputs: kept.outputs, page, durationMs, timing: timingOf(phases, 'store') };
      const finished = await meter(begun, made, kept, performing);
      reached('render committed');
      events.wake(payer);
      return finished;
    } finally {
      phases.end();
    }
  }

  function run(
    { payer, request: { job, listed = [] }, target }: BegunRender,
    earlier: ReferenceFile[],
    signal: AbortSignal,
    phases: Phases,
  ) {
    const source: Source = job.source.kind === 'url' ? { kind: 'url', url: target.href } : job.source;
    const egress = wall.settingsFor('page', payer.allowedHosts);
    return browser.render(
      { ...job, listed, source, references: earlier, egress, account: payer.accountId, phases },
      signal,
    );
  }

  /** Sends the outputs elsewhere that have a `put_url`. Returns what the receipt says of the page, and of them. */
  async function deliver(
    { payer, puts }: BegunRender,
    page: PageReceipt,
    { outputs, copies, undo }: KeptOutputs,
    { beforeSending, phases }: Performing,
  ): Promise<PageReceipt> {
    phases.begin('put');
    const sent = puts.map((put) => ({
      put,
      output: outputs[put.place]!,
      open: async () => copies.get(put.place),
    }));
    try {
      // The units stay reserved: what has been sent will be metered.
      const longestMs = Math.max(...sent.map(({ output }) => transfers.longestMs(output.sizeBytes)));
      await beforeSending(longestMs);
      return withFailures(page, await putOutputs(transfers, payer.accountId, sent));
    } catch (error) {
      await undo({ isStoreKept: isTakenOver(error) });
      throw error;
    }
  }

  /** Takes the units, gives back the slot and writes the row in one transaction. If that fails, nothing is left of the files. */
  async function meter(
    begun: BegunRender,
    made: MadeRender,
    { bytes, undo }: KeptOutputs,
    { release, alsoRecord }: Performing,
  ): Promise<FinishedRender> {
    const { outputs } = made;
    const paidFor = chargedOf(outputs).map((place) => outputs[place]!.id);
    try {
      return await database.transactionOf(begun.payer.accountId, async (tables) => {
        const now = clock.now();
        const row = finishedRow(begun, made, now);
        // First: if the render is not this process's to end, nothing else may happen.
        await release(tables);
        const { states } = await consumeUnits(tables, begun.payer, 'render', paidFor, now, {
          isReserved: true,
        });
        await tables.renders.insert(row);
        const finished = { ...toStoredRender(row), ...made, bytes, quota: states.at(-1)! };
        await events.record(tables, begun.payer, finished, now);
        await alsoRecord(tables, finished);
        reached('render written');
        return finished;
      });
    } catch (error) {
      // If the outcome of the commit is unknown, the files may have a row; the orphan sweep checks that later.
      await undo({ isStoreKept: isTakenOver(error) || error instanceof UnknownOutcomeError });
      throw error;
    }
  }

  /** For the history. If it fails, the client's response is the same. */
  async function recordFailure(begun: BegunRender, failure: RenderFailure): Promise<void> {
    if (failure.reason === 'aborted') return;
    const { payer } = begun;
    const now = clock.now();
    const row = failedRow(pendingRow(begun), failure, now);
    const write = async (tables: Tables): Promise<void> => {
      await tables.renders.insert(row);
      await events.record(tables, payer, toStoredRender(row), now);
    };
    try {
      if (listensTo(payer, 'render.failed')) await database.transaction(write);
      else await write(database.tables);
      events.wake(payer);
      await database.tables.renders.trimFailures(payer.accountId, keptFailures);
    } catch {
      // Database errors are reported elsewhere, and the next failure trims what this one left.
    }
  }

  return {
    /** Tells of every render that ends from now on. */
    onEnd(note: (end: RenderEnd) => void): void {
      noteEnd = note;
    },
    renderNow,
    begin,
    perform,
    checkReferences: references.checkReferences,
    putsOf,
    /** Throws what can be said of a request before it costs anything. */
    check(payer: Caller, { job, reference }: Pick<RenderRequest, 'job' | 'reference'>): void {
      targetOf(job.source, rulesFor(payer));
      requireStorable({ reference });
    },
  };
}

function resultOf(error: unknown): string {
  if (error instanceof RenderFailure) return error.reason;
  if (error instanceof LostRenderError) return error.isCanceled ? 'canceled' : 'taken_over';
  return error instanceof ServiceError ? error.code : 'internal';
}
