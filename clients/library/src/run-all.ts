// Many requests: as many at once as the plan allows. A refused one is repeated later, and none is done twice. Spec 7.
import { createCapFollower } from './cap-follower.ts';
import type { Clock } from './clock.ts';
import { TintypeError } from './errors.ts';
import type { Meta } from './meta.ts';

export type Outcome<Job, Result> = { job: Job; result: Result } | { job: Job; error: TintypeError };

/** What a run waits for: the request budget, or a free capture slot (`room`). */
export type Waiting = { for: 'request budget' | 'room'; seconds: number };

export interface Work<Job, Result extends { meta: Meta }> {
  jobs: Iterable<Job>;
  /** One attempt. It retries everything except 429, which the whole run reacts to. */
  attempt(job: Job): Promise<Result>;
  /** Until it resolves, the outcome counts as running, so that results do not pile up. */
  onOutcome(outcome: Outcome<Job, Result>): Promise<void>;
  onWait?: ((waiting: Waiting) => void) | undefined;
  ceiling: number;
  clock: Clock;
  signal: AbortSignal | undefined;
}

interface Task<Job> {
  job: Job;
  refusals: number;
  notBefore: number;
}

const defaultWaitSeconds = 2;
/** At one minute each, this is an hour of refusals. */
const maxRefusals = 60;
/** After one of these, every further request would fail for the same reason. */
export const endOfRun: string[] = ['unauthorized', 'quota_exceeded'];

export async function runAll<Job, Result extends { meta: Meta }>(work: Work<Job, Result>): Promise<void> {
  const { attempt, onOutcome, onWait, ceiling, clock, signal } = work;
  const follower = createCapFollower(ceiling);
  const jobs = [...work.jobs];
  const refused: Task<Job>[] = [];
  let begun = 0;
  const running = new Set<Promise<void>>();
  let budgetRefillsAt = 0;
  let stopped: unknown;

  while (stopped === undefined && (begun < jobs.length || refused.length > 0 || running.size > 0)) {
    if (signal?.aborted) {
      stopped = signal.reason;
      break;
    }
    const now = clock.now();
    const mayStart = follower.hasRoom() && running.size < ceiling && budgetRefillsAt <= now;
    const next = mayStart ? takeNext(now) : undefined;
    if (next) {
      launch(next);
    } else if (running.size > 0) {
      await Promise.race(running);
    } else {
      const isNew = begun < jobs.length;
      const soonest = isNew
        ? now
        : refused.reduce((least, { notBefore }) => Math.min(least, notBefore), Infinity);
      const waitMs = Math.max(budgetRefillsAt, soonest) - now;
      onWait?.({ for: budgetRefillsAt > now ? 'request budget' : 'room', seconds: Math.ceil(waitMs / 1000) });
      await clock.sleep(waitMs, signal);
    }
  }
  await Promise.all(running);
  if (stopped !== undefined) throw stopped;

  /** A refused one comes after all that were not tried yet. */
  function takeNext(now: number): Task<Job> | undefined {
    if (begun < jobs.length) return { job: jobs[begun++] as Job, refusals: 0, notBefore: 0 };
    const due = refused.findIndex(({ notBefore }) => notBefore <= now);
    return due < 0 ? undefined : refused.splice(due, 1)[0];
  }

  function launch(task: Task<Job>): void {
    follower.start();
    const promise = run(task)
      .catch((error: unknown) => {
        stopped ??= error;
      })
      .finally(() => running.delete(promise));
    running.add(promise);
  }

  async function run(task: Task<Job>): Promise<void> {
    const { job } = task;
    let result: Result;
    try {
      result = await attempt(job);
    } catch (error) {
      follower.end(
        error instanceof TintypeError && error.code === 'concurrency_limited' ? 'refused' : 'failed',
      );
      if (!(error instanceof TintypeError)) throw error;
      if (error.status === 429 && task.refusals < maxRefusals) return putBack(task, error);
      await onOutcome({ job, error });
      if (endOfRun.includes(error.code)) throw error;
      return;
    }
    follower.end('done');
    const { rateLimit } = result.meta;
    if (rateLimit?.remaining === 0) budgetRefillsAt = clock.now() + rateLimit.resetSeconds * 1000;
    await onOutcome({ job, result });
  }

  /** Queues the task again, for after its wait. A spent request budget delays all tasks. */
  function putBack(task: Task<Job>, error: TintypeError): void {
    const until = clock.now() + (error.retryAfterSeconds ?? defaultWaitSeconds) * 1000;
    if (error.code === 'rate_limited') budgetRefillsAt = Math.max(budgetRefillsAt, until);
    refused.push({ ...task, refusals: task.refusals + 1, notBefore: until });
  }
}

/** The outcomes of a run, each as soon as it is known. Leaving the loop early stops the run. */
export async function* outcomesOf<Job, Result extends { meta: Meta }>(
  work: Omit<Work<Job, Result>, 'onOutcome'>,
  abort: () => void,
): AsyncGenerator<Outcome<Job, Result>> {
  const ready: { outcome: Outcome<Job, Result>; taken: () => void }[] = [];
  let wake = (): void => {};
  let isDone = false;
  const run = runAll({
    ...work,
    onOutcome: (outcome) =>
      new Promise<void>((taken) => {
        ready.push({ outcome, taken });
        wake();
      }),
  }).finally(() => {
    isDone = true;
    wake();
  });
  // It is awaited below; without this, an earlier rejection would count as unhandled.
  run.catch(() => {});
  try {
    while (!isDone || ready.length > 0) {
      const next = ready.shift();
      if (next) {
        try {
          yield next.outcome;
        } finally {
          next.taken();
        }
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isDone || ready.length > 0) resolve();
        });
      }
    }
    await run;
  } finally {
    if (!isDone) {
      abort();
      for (const { taken } of ready) taken();
    }
  }
}
