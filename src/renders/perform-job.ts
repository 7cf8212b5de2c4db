// Makes one queued render that this machine has claimed, and ends its job in the transaction that stores what came of it. Only the one that
// holds the claim can end the job.
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { createPhases } from '#core/phases.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { RenderJobRow } from '#storage/schema.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { SentDocument, SourceFile } from '#browser/job.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';
import type { JobRequest, JobRequests } from '#renders/job-requests.ts';
import type { JobTurns } from '#renders/job-turns.ts';
import { LostRenderError } from '#renders/perform-render.ts';
import type { Renders } from '#renders/render.ts';
import type { RenderEvents } from '#renders/render-events.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import type { StoredRender } from '#renders/stored-render.ts';

/** Several times as long as between two extensions. */
export const leaseMs = 30_000;

/** The request of a job as a render. Throws if this installation does not take it any more. */
type LowerRequest = (given: unknown, files: SourceFile[], document?: SentDocument) => RenderRequest;

export interface JobPerformerParts {
  database: Database;
  clock: Clock;
  slots: CaptureSlots;
  renders: Renders;
  requests: JobRequests;
  lowerRequest: LowerRequest;
  events: RenderEvents;
  /** Called after a job has ended. */
  onEnd: (id: string) => void;
}

export function createJobPerformer(parts: JobPerformerParts & { turns: JobTurns }) {
  const { database, clock, slots, renders, requests, events, turns } = parts;

  interface Turn {
    signal: AbortSignal;
    onPlace: () => void;
  }

  /** Those who wait for it are told when nothing of the request is left on this machine. */
  async function perform(job: RenderJobRow, turn: Turn): Promise<void> {
    await render(job, turn);
    await leave(job);
  }

  async function render(job: RenderJobRow, { signal, onPlace }: Turn): Promise<void> {
    const payer = await turns.payerOf(database.tables, job.account_id, job.key_id);
    if (!payer) throw new LostRenderError({ isCanceled: true });
    await using came = await requests.readRequest(job);
    const cacheKey = came.allowedHosts === payer.allowedHosts ? came.cacheKey : undefined;
    const request = { ...lower(came), cacheKey };
    const begun = renders.begin(payer, request, { id: job.id, createdAt: job.created_at });
    await renders.perform(begun, {
      async release(tables) {
        // The order in which every transaction locks: the counter, then the job.
        await slots.lock(tables, payer);
        await end(tables, job);
      },
      beforeSending: () => requireUncanceled(job),
      signal,
      alsoRecord: (tables, finished) => report(tables, job, finished),
      phases: createPhases(),
      onPlace,
      beforeStore: () => requireOurs(job),
    });
  }

  /** What it refuses now was accepted before: the settings have changed. */
  function lower({ given, files, document }: JobRequest): RenderRequest {
    try {
      return parts.lowerRequest(given, files, document);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw failureOf('crashed', error);
    }
  }

  async function fail(job: RenderJobRow, failure: RenderFailure): Promise<void> {
    const payer = await database.transaction(async (tables) => {
      const pending = await tables.renders.byId(job.id);
      await end(tables, job);
      const owner = await turns.payerOf(tables, job.account_id, job.key_id);
      if (!pending || !owner) return undefined;
      const { owner_suspended: _suspended, owner_webhook_events: _events, ...row } = pending;
      await report(tables, job, await renders.recorder.writeFailure(tables, owner, row, failure));
      return owner;
    });
    if (payer) events.wake(payer);
    await leave(job);
    await renders.recorder.trim(job.account_id);
  }

  /** Also extends the lease: what another machine began in the meantime would be stored in the same place. */
  async function requireOurs(job: RenderJobRow): Promise<void> {
    const claim = job.claim ?? '';
    const valid = await database.tables.renderJobs.extend([claim], clock.now() + leaseMs);
    if (!valid.has(claim)) throw new LostRenderError({ isCanceled: false });
  }

  /** The lease of a job is extended all the time, also while its outputs are sent. */
  async function requireUncanceled({ claim }: RenderJobRow): Promise<void> {
    const isOurs = await database.tables.renderJobs.beginSending(claim ?? '');
    if (!isOurs) throw new LostRenderError({ isCanceled: false });
  }

  async function end(tables: Tables, job: RenderJobRow): Promise<void> {
    if (await tables.renderJobs.end(job)) return;
    const row = await tables.renders.byId(job.id);
    throw new LostRenderError({ isCanceled: row === undefined || row.state === 'canceled' });
  }

  async function report(tables: Tables, job: RenderJobRow, render: StoredRender): Promise<void> {
    const { account_id, webhook_url: url } = job;
    if (url !== null) await events.recordForUrl(tables, account_id, { url, render, now: clock.now() });
  }

  /** After the commit. */
  async function leave({ id, webhook_url }: RenderJobRow): Promise<void> {
    parts.onEnd(id);
    if (webhook_url !== null) events.wakeForUrl();
    await requests.deleteRequest(id);
  }

  return { perform, fail };
}

/** A refusal of a request that was accepted. */
export const failureOf = (
  reason: 'denied' | 'other_size' | 'crashed',
  { complaint, details: { field } }: ServiceError,
): RenderFailure => new RenderFailure(reason, complaint, field === undefined ? {} : { field });
