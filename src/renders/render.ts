// One render from top to bottom: check the target, take a capture slot and reserve a unit, wait for a slot on the machine, run the
// browser, then store bytes, row and unit together. A failure releases slot and unit and meters nothing. Spec 4.3, 4.4.
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Phases } from '#core/phases.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { Blobs, OpenBlob } from '#storage/blobs.ts';
import { UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import type { RenderRow } from '#storage/schema.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { Browser, PdfJob, Rendered, ScreenshotJob } from '#browser/browser.ts';
import { createEgressRules, type EgressSettings } from '#browser/egress/rules.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { checkTarget } from '#renders/target-url.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';
import { consumeUnit, type QuotaState } from '#metering/quota.ts';
import { newExpiry } from '#uploads/expiry.ts';
import type { RenderQueue } from '#renders/render-queue.ts';

export type RenderRequest = {
  url: string;
  /** The client's options, as recorded and shown in the dashboard. */
  options: Record<string, unknown>;
  /** Whether the bytes are stored under a hosted URL. */
  isHosted: boolean;
  /** How long bytes that are not hosted are kept for an idempotent replay. */
  keepMs?: number;
} & (
  | { kind: 'screenshot'; job: Omit<ScreenshotJob, 'url' | 'egress'> }
  | { kind: 'pdf'; job: Omit<PdfJob, 'url' | 'egress'> }
);

export interface FinishedRender {
  id: string;
  sizeBytes: number;
  /** Of a render that is not hosted. Whoever holds them must send or dispose them. */
  bytes: OpenBlob | undefined;
  contentType: string;
  durationMs: number;
  quota: QuotaState;
}

/** Runs in the transaction that meters the render, so that what it writes commits or rolls back with it. */
export type AlsoRecord = (tables: Tables, render: FinishedRender) => Promise<void>;

export interface RendersParts {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  browser: Browser;
  /** Where pages may go. */
  egress: EgressSettings;
  slots: CaptureSlots;
  queue: RenderQueue;
  reached: OnCrashPoint;
}

// Failures are not metered, so nothing else bounds how many rows they leave.
const keptFailures = 200;
const failureUrlCharacters = 2_048;

export type Renders = ReturnType<typeof createRenders>;

export function createRenders(parts: RendersParts) {
  const { database, blobs, clock, browser, egress, slots, queue, reached } = parts;
  const egressRules = createEgressRules(egress);

  async function render(
    payer: Caller,
    request: RenderRequest,
    signal: AbortSignal,
    alsoRecord: AlsoRecord,
    phases: Phases,
  ): Promise<FinishedRender> {
    const target = checkTarget(request.url, egressRules);
    const url = target.href;
    const { leaseId } = await slots.acquire(payer);
    reached('lease taken');
    try {
      // Before waiting for a slot on the machine, so that a slow DNS look-up does not hold one that another account could use.
      phases.begin('resolve');
      await target.resolve(signal);
      phases.begin('queue');
      const { result, startedAt } = await queue.run(
        payer.accountId,
        async () => ({
          startedAt: performance.now(),
          result: await run(payer, url, request, signal, phases),
        }),
        { signal },
      );
      await using rendered = result;
      reached('page rendered');
      const durationMs = Math.round(performance.now() - startedAt);
      phases.begin('store');
      const row = rowOf(payer, url, request, { rendered, durationMs });
      const bytes = await keep(row, rendered);
      const finished = await meter(
        payer,
        row,
        { bytes, sizeBytes: rendered.sizeBytes, durationMs },
        leaseId,
        alsoRecord,
      );
      reached('render committed');
      phases.end();
      return finished;
    } catch (error) {
      phases.end();
      await slots.release(leaseId);
      if (!(error instanceof RenderFailure)) throw error;
      await recordFailure(payer, url, request, error);
      const code = request.kind === 'screenshot' ? 'capture_failed' : 'render_failed';
      throw new ServiceError(code, `url: ${error.message}`, { cause: error });
    }
  }

  function run(
    { accountId: account }: Caller,
    url: string,
    request: RenderRequest,
    signal: AbortSignal,
    phases: Phases,
  ) {
    return request.kind === 'screenshot'
      ? browser.screenshot({ ...request.job, url, egress, account, phases }, signal)
      : browser.pdf({ ...request.job, url, egress, account, phases }, signal);
  }

  function rowOf(
    payer: Caller,
    url: string,
    request: RenderRequest,
    outcome: { rendered: Rendered; durationMs: number } | { failure: string },
  ): RenderRow {
    const now = clock.now();
    const rendered = 'rendered' in outcome ? outcome.rendered : undefined;
    return {
      id: newId(),
      account_id: payer.accountId,
      key_id: payer.keyId,
      kind: request.kind,
      target: 'failure' in outcome ? url.slice(0, failureUrlCharacters) : url,
      failure: 'failure' in outcome ? outcome.failure : null,
      options: JSON.stringify(request.options),
      content_type: contentTypeOf(request),
      size_bytes: rendered?.sizeBytes ?? null,
      duration_ms: 'durationMs' in outcome ? outcome.durationMs : null,
      sha256: rendered && isKept(request) ? rendered.sha256 : null,
      hosted: rendered && request.isHosted ? 1 : 0,
      created_at: now,
      expires_at: rendered ? endOf(payer, request, now) : null,
      deleted_at: null,
    };
  }

  /** Stores the bytes if they are kept, and returns them if they are the response. Nothing else is left of them. */
  async function keep(row: RenderRow, rendered: Rendered): Promise<OpenBlob | undefined> {
    await using file = await blobs.adopt(rendered, row.account_id);
    using opened = new DisposableStack();
    const bytes = row.hosted === 1 ? undefined : opened.use(await file.open());
    if (row.sha256 !== null) {
      await file.commit(row.id);
      reached('render durable');
    }
    opened.move();
    return bytes;
  }

  async function meter(
    payer: Caller,
    row: RenderRow,
    made: Pick<FinishedRender, 'bytes' | 'sizeBytes' | 'durationMs'>,
    leaseId: string,
    alsoRecord: AlsoRecord,
  ): Promise<FinishedRender> {
    try {
      return await database.transaction(async (tables) => {
        const quota = await consumeUnit(tables, payer, 'render', row.id, clock.now(), { isReserved: true });
        await tables.renders.insert(row);
        await tables.renderLeases.delete(leaseId);
        const finished = { id: row.id, contentType: row.content_type, quota, ...made };
        await alsoRecord(tables, finished);
        reached('render written');
        return finished;
      });
    } catch (error) {
      made.bytes?.[Symbol.dispose]();
      // If the outcome of the commit is unknown, the blob may have a row; the orphan sweep checks that later.
      if (row.sha256 !== null && !(error instanceof UnknownOutcomeError))
        await blobs.delete(row.id).catch(() => {});
      throw error;
    }
  }

  /** For the dashboard's history. If it fails, the client's response is the same. */
  async function recordFailure(
    payer: Caller,
    url: string,
    request: RenderRequest,
    failure: RenderFailure,
  ): Promise<void> {
    if (failure.reason === 'aborted') return;
    try {
      const { renders } = database.tables;
      await renders.insert(rowOf(payer, url, request, { failure: failure.message }));
      await renders.trimFailures(payer.accountId, keptFailures);
    } catch {
      // Database errors are reported elsewhere, and the next failure trims what this one left.
    }
  }

  return { render };
}

/** Hosted renders expire as uploads of the same plan do; bytes kept for a replay expire after `keepMs`. */
function endOf({ plan }: Caller, { isHosted, keepMs }: RenderRequest, now: number): number | null {
  if (isHosted) return newExpiry(plan, undefined, now);
  return keepMs === undefined ? null : now + keepMs;
}

const isKept = (request: RenderRequest): boolean => request.isHosted || request.keepMs !== undefined;

function contentTypeOf(request: RenderRequest): string {
  return request.kind === 'screenshot' ? `image/${request.job.format}` : 'application/pdf';
}
