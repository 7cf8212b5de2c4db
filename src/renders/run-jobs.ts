// Runs queued renders, on every machine. One that was begun is in the machine's render queue like any other, so accounts take turns
// there with those that wait for their answer; only a few may wait there, because another machine may have a place. Its lease is
// extended while it runs; when a machine dies, another begins the job again, and only the one that holds the claim can end it.
import type { Logger } from 'pino';
import { createDueWork } from '#core/due-work.ts';
import { ServiceError } from '#core/errors.ts';
import type { RenderJobRow } from '#storage/schema.ts';
import { RenderFailure } from '#browser/browser.ts';
import { createJobTurns, type JobTurnsParts } from '#renders/job-turns.ts';
import { createJobPerformer, failureOf, leaseMs, type JobPerformerParts } from '#renders/perform-job.ts';
import { LostRenderError } from '#renders/perform-render.ts';

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

export interface JobRunnerParts extends JobTurnsParts, JobPerformerParts {
  log: Logger;
  /** Places on this machine that only an account with no render running there may take. */
  reservedPlaces: number;
}

export function createJobRunner(parts: JobRunnerParts) {
  const { database, clock, log } = parts;
  const { renderJobs } = database.tables;
  const turns = createJobTurns(parts);
  const jobs = createJobPerformer({ ...parts, turns });
  const held = new Map<string, Held>();
  const stopped = new AbortController();
  let isOpen = false;
  let pausedUntil = 0;
  const due = createDueWork(async () => {
    if (!isOpen || clock.now() < pausedUntil) return undefined;
    const without = passedOver();
    const job = without && (await turns.claimNext(without, leaseMs));
    return job && (() => runOne(job));
  });

  /** The accounts whose turn it is not; undefined if no other account may stand in line here. */
  function passedOver(): string[] | undefined {
    const here = [...held.values()];
    const waiting = here.filter(({ isInLine }) => isInLine).length;
    if (waiting < mostInLine) return [];
    // Those in line may have to wait for each other while a reserved place is free for an account that has nothing here.
    return waiting < mostInLine + parts.reservedPlaces ? here.map(({ job }) => job.account_id) : undefined;
  }

  async function runOne(job: RenderJobRow): Promise<void> {
    const one: Held = { job, controller: new AbortController(), isInLine: true };
    held.set(job.id, one);
    try {
      if (job.attempts > maxAttempts) throw new RenderFailure('crashed', 'the service failed to render it');
      await jobs.perform(job, {
        signal: AbortSignal.any([one.controller.signal, stopped.signal]),
        onPlace() {
          one.isInLine = false;
          due.wake();
        },
      });
    } catch (error) {
      await settle(one, error).catch((cause: unknown) =>
        log.error({ err: cause, render: job.id }, 'a queued render could not be ended'),
      );
    } finally {
      held.delete(job.id);
    }
  }

  async function settle({ job, controller }: Held, error: unknown): Promise<void> {
    if (error instanceof LostRenderError || controller.signal.aborted) return;
    const isBusy = error instanceof ServiceError && error.code === 'concurrency_limited';
    if (stopped.signal.aborted || isBusy) return renderJobs.giveBack(job.claim ?? '');
    if (error instanceof RenderFailure) return jobs.fail(job, error);
    if (error instanceof ServiceError) return jobs.fail(job, failureOf(reasonOf(error), error));
    pausedUntil = clock.now() + pauseMs;
    log.error({ err: error, render: job.id }, 'a queued render was interrupted');
    if (job.attempts >= maxAttempts)
      await jobs.fail(job, new RenderFailure('crashed', 'the service failed to render it', { cause: error }));
    // Otherwise it begins again when its lease has run out.
  }

  return {
    wake: due.wake,
    beginDue: due.beginDue,
    /** Before this, no job begins. */
    open(): void {
      isOpen = true;
      due.wake();
    },
    /** Extends the leases of what runs here. What is not ours any more stops. */
    async extendLeases(): Promise<void> {
      const ours = [...held.values()];
      if (ours.length === 0) return;
      const claims = ours.map(({ job }) => job.claim ?? '');
      const valid = await renderJobs.extend(claims, clock.now() + leaseMs);
      for (const { job, controller } of ours)
        if (!valid.has(job.claim ?? '')) controller.abort(new Error('the job is lost'));
    },
    /** Stops a render that was canceled, if it runs here. */
    stop: (id: string): void => held.get(id)?.controller.abort(new Error('the render was canceled')),
    /** Gives back what runs: it begins again at the next start, or on another machine. */
    async close(): Promise<void> {
      isOpen = false;
      stopped.abort(new Error('the service is stopping'));
      await due.ended();
    },
  };
}

/** A host name may have got an address that is not public, and what the picture is compared with may be gone. */
const reasonOf = ({ details: { field = '' } }: ServiceError): 'denied' | 'other_size' =>
  field.endsWith('compare_to') ? 'other_size' : 'denied';
