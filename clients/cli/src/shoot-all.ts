// Many screenshots: as many at once as the account may have, none lost to a refusal, none of them twice. Spec 7.
import type { Clock } from '../../library/src/clock.ts';
import { TintypeError } from '../../library/src/errors.ts';
import type { RenderBytes, WithMeta } from '../../library/src/tintype.ts';
import { createCapFollower } from './cap-follower.ts';

export interface Shot {
  url: string;
  file: string;
}

export type ShotOutcome = { shot: Shot; result: WithMeta<RenderBytes> } | { shot: Shot; error: TintypeError };

interface Work {
  shots: Shot[];
  /** One attempt: it retries everything but 429, which is for the whole run to heed. */
  capture(shot: Shot): Promise<WithMeta<RenderBytes>>;
  onOutcome(outcome: ShotOutcome): Promise<void>;
  ceiling: number;
  clock: Clock;
  signal: AbortSignal;
}

interface Job {
  shot: Shot;
  refusals: number;
  notBefore: number;
}

const defaultWaitSeconds = 2;
/** At a minute each, an hour of being told to come back later. */
const maxRefusals = 60;
/** With these the next request would fail alike. */
const endOfRun = ['unauthorized', 'quota_exceeded'];

export async function shootAll(work: Work): Promise<void> {
  const { shots, capture, onOutcome, ceiling, clock, signal } = work;
  const follower = createCapFollower(ceiling);
  const jobs: Job[] = shots.map((shot) => ({ shot, refusals: 0, notBefore: 0 }));
  const running = new Set<Promise<void>>();
  let budgetRefillsAt = 0;
  let stopped: unknown;

  while (stopped === undefined && (jobs.length > 0 || running.size > 0)) {
    const now = clock.now();
    const next =
      follower.hasRoom() && budgetRefillsAt <= now ? jobs.findIndex(({ notBefore }) => notBefore <= now) : -1;
    if (next >= 0) {
      launch(jobs.splice(next, 1)[0] as Job);
    } else if (running.size > 0) {
      await Promise.race(running);
    } else {
      const soonest = jobs.reduce((least, { notBefore }) => Math.min(least, notBefore), Infinity);
      await clock.sleep(Math.max(budgetRefillsAt, soonest) - now, signal);
    }
  }
  await Promise.all(running);
  if (stopped !== undefined) throw stopped;

  function launch(job: Job): void {
    follower.start();
    const task = run(job)
      .catch((error: unknown) => {
        stopped ??= error;
      })
      .finally(() => running.delete(task));
    running.add(task);
  }

  async function run(job: Job): Promise<void> {
    const { shot } = job;
    try {
      const result = await capture(shot);
      follower.end('done');
      const { rateLimit } = result.meta;
      if (rateLimit?.remaining === 0) budgetRefillsAt = clock.now() + rateLimit.resetSeconds * 1000;
      await onOutcome({ shot, result });
    } catch (error) {
      if (!(error instanceof TintypeError)) {
        follower.end('failed');
        throw error;
      }
      const isRefused = error.status === 429 && job.refusals < maxRefusals;
      follower.end(error.code === 'concurrency_limited' ? 'refused' : 'failed');
      if (isRefused) putBack(job, error);
      else await onOutcome({ shot, error });
      if (endOfRun.includes(error.code)) throw error;
    }
  }

  /** Behind the others, and not before its time; a spent request budget holds for all. */
  function putBack(job: Job, error: TintypeError): void {
    const until = clock.now() + (error.retryAfterSeconds ?? defaultWaitSeconds) * 1000;
    if (error.code === 'rate_limited') budgetRefillsAt = Math.max(budgetRefillsAt, until);
    jobs.push({ ...job, refusals: job.refusals + 1, notBefore: until });
  }
}
