// Makes a render that has begun: looks its target up, waits for a place on the machine, runs the browser, stores the files, sends those that
// go elsewhere, and meters it. Each stage takes what the last one has made.
import type { OnCrashPoint } from '#core/crash-points.ts';
import { ServiceError } from '#core/errors.ts';
import type { Phases } from '#core/phases.ts';
import type { Wall } from '#wall/wall.ts';
import type { Blobs } from '#storage/blobs.ts';
import { UnknownOutcomeError, type Tables } from '#storage/database.ts';
import { RenderFailure, type Browser, type PageReceipt, type Rendered } from '#browser/browser.ts';
import type { Source } from '#browser/job.ts';
import type { Transfers } from '#delivery/transfers.ts';
import { createOutputKeeper, type KeptOutputs } from '#renders/keep-outputs.ts';
import { putOutputs, withFailures } from '#renders/put-outputs.ts';
import type { AlsoRecord, FinishedRender, Recorder } from '#renders/record-render.ts';
import type { RenderEvents } from '#renders/render-events.ts';
import type { References } from '#renders/references.ts';
import type { RenderQueue } from '#renders/render-queue.ts';
import { isKept, type BegunRender } from '#renders/render-row.ts';
import { timingOf } from '#renders/stored-render.ts';

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

/** A render that ran, or waited to run, for the metrics. */
export interface RenderEnd {
  /** `succeeded`, or why it failed: the browser's reason or an error code. */
  result: string;
  queueMs: number;
  /** Without the wait in the queue. */
  durationMs: number;
}

export interface PerformerParts {
  blobs: Blobs;
  browser: Pick<Browser, 'render'>;
  wall: Wall;
  queue: RenderQueue;
  transfers: Transfers;
  reached: OnCrashPoint;
  references: References;
  recorder: Recorder;
  events: RenderEvents;
  noteEnd: (end: RenderEnd) => void;
}

export function createPerformer(parts: PerformerParts) {
  const { browser, wall, queue, transfers, reached, references, recorder, events, noteEnd } = parts;
  const keep = createOutputKeeper(parts);

  /** From the look-up to the commit. If it throws, nothing is recorded, and the slot is the caller's to give back. */
  return async function perform(begun: BegunRender, performing: Performing): Promise<FinishedRender> {
    const { phases } = performing;
    const startedAt = performance.now();
    let result = 'succeeded';
    try {
      return await performNow(begun, performing);
    } catch (error) {
      result = resultOf(error);
      throw error;
    } finally {
      phases.end();
      const queueMs = phases.measuredMs['queue'] ?? 0;
      noteEnd({ result, queueMs, durationMs: performance.now() - startedAt - queueMs });
    }
  };

  async function performNow(begun: BegunRender, performing: Performing): Promise<FinishedRender> {
    const { phases } = performing;
    const { result, durationMs } = await draw(begun, performing);
    await using rendered = result;
    reached('page rendered');
    phases.begin('store');
    const kept = await store(begun, rendered, performing);
    const finish = async () => {
      const page = await deliver(begun, rendered.page, kept, performing);
      const made = { outputs: kept.outputs, page, durationMs, timing: timingOf(phases, 'store') };
      return recorder.succeed(begun, made, kept.bytes, performing);
    };
    const finished = await finish().catch(async (error: unknown) => {
      // If the outcome of the commit is unknown, the files may have a row; the orphan sweep checks that later.
      await kept.undo({ isStoreKept: isTakenOver(error) || error instanceof UnknownOutcomeError });
      throw error;
    });
    reached('render committed');
    events.wake(begun.payer);
    return finished;
  }

  async function draw(begun: BegunRender, { signal, phases, onPlace }: Performing) {
    const { payer, request, target, puts } = begun;
    const { accountId, allowedHosts } = payer;
    const { job, listed = [] } = request;
    // Before waiting for a slot on the machine, so that a slow DNS look-up does not hold one that another account could use.
    phases.begin('resolve');
    await Promise.all(puts.map(({ decide }) => decide(signal)));
    await target.resolve(signal);
    await using earlier = await references.openReferences(accountId, request);
    const source: Source = job.source.kind === 'url' ? { kind: 'url', url: target.href } : job.source;
    const egress = wall.settingsFor('page', allowedHosts);
    const task = { ...job, listed, source, references: earlier.files, egress, account: accountId, phases };
    phases.begin('queue');
    const work = async () => {
      onPlace?.();
      const startedAt = performance.now();
      const result = await browser.render(task, signal);
      return { result, durationMs: Math.round(performance.now() - startedAt) };
    };
    return await queue.run(accountId, work, { signal });
  }

  async function store(
    { id, payer, request, puts }: BegunRender,
    { outputs }: Rendered,
    { beforeStore }: Performing,
  ): Promise<KeptOutputs> {
    await beforeStore?.();
    return keep(outputs, request.job.outputs, {
      id,
      accountId: payer.accountId,
      isHosted: request.isHosted,
      isKept: isKept(request),
      sent: puts.map(({ place }) => place),
    });
  }

  /** Sends the outputs elsewhere that have a `put_url`. Returns what the receipt says of the page, and of them. */
  async function deliver(
    { payer, puts }: BegunRender,
    page: PageReceipt,
    { outputs, copies }: KeptOutputs,
    { beforeSending, phases }: Performing,
  ): Promise<PageReceipt> {
    if (puts.length === 0) return page;
    phases.begin('put');
    const sent = puts.map((put) => ({
      put,
      output: outputs[put.place]!,
      open: async () => copies.get(put.place),
    }));
    // The units stay reserved: what has been sent will be metered.
    await beforeSending(Math.max(...sent.map(({ output }) => transfers.longestMs(output.sizeBytes))));
    return withFailures(page, await putOutputs(transfers, payer.accountId, sent));
  }
}

function resultOf(error: unknown): string {
  if (error instanceof RenderFailure) return error.reason;
  if (error instanceof LostRenderError) return error.isCanceled ? 'canceled' : 'taken_over';
  return error instanceof ServiceError ? error.code : 'internal';
}
