// Runs queued renders, on every machine. One that was begun is in the machine's render queue like any other, so accounts take turns
// there with those that wait for their answer; only a few may wait there, because another machine may have a place. Its lease is
// extended while it runs; when a machine dies, another begins the job again, and only the one that holds the claim can end it.
import type { Logger } from 'pino';
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { createPhases } from '#core/phases.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { RenderJobRow } from '#storage/schema.ts';
import type { PlanCaps } from '#storage/tables/render-jobs.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { SentDocument, SourceFile } from '#browser/job.ts';
import { callerFor, type Caller } from '#accounts/authenticate.ts';
import type { Plans } from '#accounts/plans.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';
import type { JobRequest, JobRequests } from '#renders/job-requests.ts';
import { keptFailures, LostRenderError, type Renders } from '#renders/render.ts';
import type { RenderEvents } from '#renders/render-events.ts';
import { failedRow } from '#renders/render-row.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { toStoredRender, type StoredRender } from '#renders/stored-render.ts';

/** Several times as long as between two extensions. */
const leaseMs = 30_000;
/** An outage or a crash is not the page's fault, but a page may cause one. */
const maxAttempts = 5;
/** Jobs that may wait for a place on this machine: the next one, and one whose host name takes long to look up. */
const mostInLine = 2;
/** After an outage of the database or the store. */
const pauseMs = 5_000;

interface Held {
  job: RenderJobRow;
  controller: AbortController;
  /** Whether it waits for its place on the machine. */
  isInLine: boolean;
}

/** The request of a job as a render. Throws if this installation does not take it any more. */
type LowerRequest = (given: unknown, files: SourceFile[], document?: SentDocument) => RenderRequest;

export interface JobRunnerParts {
  database: Database;
  clock: Clock;
  log: Logger;
  plans: Plans;
  slots: CaptureSlots;
  renders: Renders;
  requests: JobRequests;
  lowerRequest: LowerRequest;
  events: RenderEvents;
  /** Places on this machine that only an account with no render running there may take. */
  reservedPlaces: number;
  /** Called after a job has ended. */
  onEnd: (id: string) => void;
}

export function createJobRunner(parts: JobRunnerParts) {
  const { database, clock, log, plans, slots, renders, requests, events } = parts;
  const held = new Map<string, Held>();
  const runs = new Set<Promise<void>>();
  const stopped = new AbortController();
  let isOpen = false;
  let claiming: Promise<void> | undefined;
  let isWanted = false;
  let pausedUntil = 0;

  /** The accounts whose turn it is not; undefined if nobody else may stand in line here. */
  function passedOver(): string[] | undefined {
    const here = [...held.values()];
    const waiting = here.filter(({ isInLine }) => isInLine).length;
    if (waiting < mostInLine) return [];
    // Those in line may have to wait for each other while a reserved place is free for an account that has nothing here.
    return waiting < mostInLine + parts.reservedPlaces ? here.map(({ job }) => job.account_id) : undefined;
  }

  async function beginAll(): Promise<void> {
    while (isOpen && clock.now() >= pausedUntil) {
      const without = passedOver();
      const job = without && (await beginNext(without));
      if (!job) return;
      const run = runOne(job).finally(() => {
        runs.delete(run);
        // Something may have waited for this slot.
        wake();
      });
      runs.add(run);
    }
  }

  /** Of the account that is next and has a slot. */
  async function beginNext(without: string[]): Promise<RenderJobRow | undefined> {
    for (;;) {
      const found = await database.transaction(
        async (tables) => {
          const now = clock.now();
          const caps = await capsOf(tables);
          const accountId = await tables.renderJobs.nextAccount(now, caps, without);
          if (accountId === undefined) return undefined;
          const payer = await payerOf(tables, accountId, null);
          // What the query has seen may have changed until the counter was locked.
          if (!payer || !(await slots.hasFreeSlot(tables, payer))) return { accountId };
          const job = await tables.renderJobs.claim(accountId, { claim: newId(), now, leaseMs });
          return { accountId, job };
        },
        { durability: 'relaxed' },
      );
      if (!found) return undefined;
      if (found.job) return found.job;
      without.push(found.accountId);
    }
  }

  async function capsOf(tables: Tables): Promise<PlanCaps> {
    const { all, standard } = await plans.inForce(tables);
    return {
      byPlan: Object.fromEntries(all.map((plan) => [plan.id, plan.concurrent_renders])),
      standard: standard.concurrent_renders,
    };
  }

  async function payerOf(
    { accounts }: Tables,
    accountId: string,
    keyId: string | null,
  ): Promise<Caller | undefined> {
    const account = await accounts.byId(accountId);
    return account && callerFor({ ...account, account_id: accountId }, keyId, plans);
  }

  async function beginDue(): Promise<void> {
    isWanted = true;
    claiming ??= (async () => {
      try {
        while (isWanted) {
          isWanted = false;
          await beginAll();
        }
      } finally {
        claiming = undefined;
      }
    })();
    await claiming;
  }

  /** After a job was added, or a place became free. Never rejects: the next look finds what this one missed. */
  function wake(): void {
    if (isOpen) beginDue().catch(() => {});
  }

  async function runOne(job: RenderJobRow): Promise<void> {
    const one: Held = { job, controller: new AbortController(), isInLine: true };
    held.set(job.id, one);
    try {
      if (job.attempts > maxAttempts) throw new RenderFailure('crashed', 'the service failed to render it');
      await perform(one);
      await leave(job);
    } catch (error) {
      await settle(one, error).catch((cause: unknown) =>
        log.error({ err: cause, render: job.id }, 'a queued render could not be ended'),
      );
    } finally {
      held.delete(job.id);
    }
  }

  async function perform(one: Held): Promise<void> {
    const { job, controller } = one;
    const payer = await payerOf(database.tables, job.account_id, job.key_id);
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
      signal: AbortSignal.any([controller.signal, stopped.signal]),
      alsoRecord: (tables, finished) => report(tables, job, finished),
      phases: createPhases(),
      onPlace() {
        one.isInLine = false;
        wake();
      },
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

  async function settle({ job, controller }: Held, error: unknown): Promise<void> {
    if (error instanceof LostRenderError || controller.signal.aborted) return;
    const isBusy = error instanceof ServiceError && error.code === 'concurrency_limited';
    if (stopped.signal.aborted || isBusy) return database.tables.renderJobs.giveBack(job.claim ?? '');
    if (error instanceof RenderFailure) return fail(job, error);
    if (error instanceof ServiceError) return fail(job, failureOf(reasonOf(error), error));
    pausedUntil = clock.now() + pauseMs;
    log.error({ err: error, render: job.id }, 'a queued render was interrupted');
    if (job.attempts >= maxAttempts)
      await fail(job, new RenderFailure('crashed', 'the service failed to render it', { cause: error }));
    // Otherwise it begins again when its lease has run out.
  }

  async function fail(job: RenderJobRow, failure: RenderFailure): Promise<void> {
    const payer = await database.transaction(async (tables) => {
      const pending = await tables.renders.byId(job.id);
      await end(tables, job);
      const owner = await payerOf(tables, job.account_id, job.key_id);
      if (!pending || !owner) return undefined;
      const { owner_suspended: _suspended, owner_webhook_events: _events, ...row } = pending;
      const now = clock.now();
      const failed = failedRow(row, failure, now);
      await tables.renders.insert(failed);
      const stored = toStoredRender(failed);
      await events.record(tables, owner, stored, now);
      await report(tables, job, stored);
      return owner;
    });
    if (payer) events.wake(payer);
    await leave(job);
    await database.tables.renders.trimFailures(job.account_id, keptFailures);
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

  return {
    wake,
    beginDue,
    /** Before this, no job begins. */
    open(): void {
      isOpen = true;
      wake();
    },
    /** Extends the leases of what runs here. What is not ours any more stops. */
    async extendLeases(): Promise<void> {
      const ours = [...held.values()];
      if (ours.length === 0) return;
      const claims = ours.map(({ job }) => job.claim ?? '');
      const valid = await database.tables.renderJobs.extend(claims, clock.now() + leaseMs);
      for (const { job, controller } of ours)
        if (!valid.has(job.claim ?? '')) controller.abort(new Error('the job is lost'));
    },
    /** Stops a render that was canceled, if it runs here. */
    stop: (id: string): void => held.get(id)?.controller.abort(new Error('the render was canceled')),
    /** Gives back what runs: it begins again at the next start, or on another machine. */
    async close(): Promise<void> {
      isOpen = false;
      stopped.abort(new Error('the service is stopping'));
      await claiming?.catch(() => {});
      await Promise.all(runs);
    },
  };
}

/** A host name may have got an address that is not public, and what the picture is compared with may be gone. */
const reasonOf = ({ details: { field = '' } }: ServiceError): 'denied' | 'other_size' =>
  field.endsWith('compare_to') ? 'other_size' : 'denied';

/** A refusal of a request that was accepted. */
const failureOf = (
  reason: 'denied' | 'other_size' | 'crashed',
  { complaint, details: { field } }: ServiceError,
): RenderFailure => new RenderFailure(reason, complaint, field === undefined ? {} : { field });
