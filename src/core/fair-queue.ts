// A bounded queue in front of a scarce resource. A fixed number of jobs run at once; the rest wait in one queue per account, and
// the queues are served round-robin, so that one account's many jobs cannot starve another's few. Per account, the number of
// waiting jobs, the bytes they hold and the time they wait are bounded.

import { systemClock, type Clock } from '#core/clock.ts';
import { createTally } from '#core/tally.ts';

export interface FairQueueOptions {
  /** Jobs that run at the same time. */
  concurrency: number;
  /**
   * Additional slots for accounts that have no job running, so that an account's first job does not wait for the long jobs of
   * another.
   */
  reserved?: number;
  /** Jobs of one account that run at the same time. Below `concurrency`, no account can hold every slot. */
  concurrencyPerAccount?: number;
  /** Without it a job may wait as long as it takes. */
  maxWaitMs?: number;
  /** That `maxWaitMs` is counted by. */
  clock?: Clock;
  /** Jobs of one account that may wait at the same time. */
  maxWaiting?: number;
  /** Bytes that the waiting jobs of one account may hold. */
  maxWaitingBytes?: number;
  /** The error for a job that has waited `maxWaitMs`. */
  tooLong?: () => Error;
  /** The error for a job that arrives when its account's queue is full. */
  tooMany?: () => Error;
}

export type FairQueue = ReturnType<typeof createFairQueue>;

export interface JobOptions {
  /** Aborting removes a waiting job from the queue. A running job must check the signal itself. */
  signal?: AbortSignal | undefined;
  /** Bytes that the job holds while it waits. */
  bytes?: number | undefined;
}

interface Waiting {
  bytes: number;
  start(): void;
}

interface Line {
  jobs: Set<Waiting>;
  /** The size of all its jobs: a line may be long, and is not summed for each new job. */
  bytes: number;
}

export function createFairQueue({
  concurrency,
  reserved = 0,
  concurrencyPerAccount = concurrency,
  maxWaitMs = Infinity,
  clock = systemClock,
  maxWaiting = Infinity,
  maxWaitingBytes = Infinity,
  tooLong = () => new Error('the job waited too long'),
  tooMany = tooLong,
}: FairQueueOptions) {
  // A Map keeps insertion order: the account served last is moved to the end.
  const lines = new Map<string, Line>();
  const runningByAccount = createTally();
  let running = 0;

  function count(accountId: string, change: 1 | -1): void {
    running += change;
    runningByAccount.add(accountId, change);
  }

  function startNext(): void {
    for (const [accountId, line] of lines) {
      if (running >= concurrency + reserved) return;
      const mine = runningByAccount.of(accountId);
      if (mine > 0 && (running >= concurrency || mine >= concurrencyPerAccount)) continue;
      const [next] = line.jobs;
      if (!next) continue;
      leave(accountId, next);
      lines.delete(accountId);
      if (line.jobs.size > 0) lines.set(accountId, line);
      count(accountId, 1);
      next.start();
    }
  }

  function leave(accountId: string, waiting: Waiting): void {
    const line = lines.get(accountId);
    if (!line?.jobs.delete(waiting)) return;
    line.bytes -= waiting.bytes;
    if (line.jobs.size === 0) lines.delete(accountId);
  }

  /** Resolves when this job may start. */
  function turn(accountId: string, { signal, bytes = 0 }: JobOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = lines.get(accountId) ?? { jobs: new Set<Waiting>(), bytes: 0 };
    const waiting: Waiting = {
      bytes,
      start() {
        stopWaiting();
        resolve();
      },
    };
    const giveUp = (error: Error): void => {
      stopWaiting();
      leave(accountId, waiting);
      reject(error);
    };
    const cancel = maxWaitMs === Infinity ? undefined : clock.after(maxWaitMs, () => giveUp(tooLong()));
    const onAbort = (): void => giveUp(signal?.reason as Error);
    function stopWaiting(): void {
      cancel?.();
      signal?.removeEventListener('abort', onAbort);
    }
    if (signal?.aborted) onAbort();
    else if (line.jobs.size >= maxWaiting || (line.jobs.size > 0 && line.bytes + bytes > maxWaitingBytes))
      giveUp(tooMany());
    else {
      signal?.addEventListener('abort', onAbort);
      line.jobs.add(waiting);
      line.bytes += bytes;
      lines.set(accountId, line);
      startNext();
    }
    return promise;
  }

  return {
    /** Runs `job` when its turn comes. Its slot is freed when the job settles. */
    async run<T>(accountId: string, job: () => Promise<T>, options: JobOptions = {}): Promise<T> {
      await turn(accountId, options);
      try {
        return await job();
      } finally {
        count(accountId, -1);
        startNext();
      }
    },
    /** Jobs running and waiting, for the metrics. */
    load: () => ({ running, waiting: [...lines.values()].reduce((sum, line) => sum + line.jobs.size, 0) }),
  };
}
