// A bounded line in front of something scarce: a fixed number of jobs run at once, the rest wait in one line per account, and the
// lines take turns, so that one account's many jobs cannot starve another's few. How many jobs of an account wait, how many
// bytes they hold and how long they wait is bounded.

export interface FairQueueOptions {
  /** Jobs that run at the same time. */
  concurrency: number;
  /**
   * Further places that only an account with nothing running may take: however long the jobs of one account last, another
   * one's first job does not wait for them.
   */
  reserved?: number;
  /** Jobs of one account that run at the same time: below `concurrency`, no account ever holds every place. */
  concurrencyPerAccount?: number;
  maxWaitMs: number;
  /** Jobs of one account that wait at the same time. */
  maxWaiting?: number;
  /** Bytes that the waiting jobs of one account hold. */
  maxWaitingBytes?: number;
  /** The error of a job that waited for `maxWaitMs`. */
  tooLong: () => Error;
  /** The error of a job that found the line of its account full. */
  tooMany?: () => Error;
}

export interface FairQueue {
  /** Runs `job` when it is its turn. The place is free again when the job has ended, in whatever way. */
  run<T>(accountId: string, job: () => Promise<T>, options?: JobOptions): Promise<T>;
  /** Jobs running and waiting, for the metrics. */
  load(): { running: number; waiting: number };
}

interface JobOptions {
  /** A job that waits leaves the line when this aborts. One that runs has to look at the signal itself. */
  signal?: AbortSignal | undefined;
  /** What the job holds while it waits. */
  bytes?: number;
}

interface Waiting {
  bytes: number;
  start(): void;
}

export function createFairQueue({
  concurrency,
  reserved = 0,
  concurrencyPerAccount = concurrency,
  maxWaitMs,
  maxWaiting = Infinity,
  maxWaitingBytes = Infinity,
  tooLong,
  tooMany = tooLong,
}: FairQueueOptions): FairQueue {
  // A Map keeps its order: the account that was served last goes to the end of it.
  const lines = new Map<string, Set<Waiting>>();
  const runningByAccount = new Map<string, number>();
  let running = 0;

  function count(accountId: string, change: 1 | -1): void {
    running += change;
    const mine = (runningByAccount.get(accountId) ?? 0) + change;
    if (mine > 0) runningByAccount.set(accountId, mine);
    else runningByAccount.delete(accountId);
  }

  function startNext(): void {
    for (const [accountId, line] of lines) {
      if (running >= concurrency + reserved) return;
      const mine = runningByAccount.get(accountId) ?? 0;
      if (mine > 0 && (running >= concurrency || mine >= concurrencyPerAccount)) continue;
      const [next] = line;
      if (!next) continue;
      leave(accountId, next);
      lines.delete(accountId);
      if (line.size > 0) lines.set(accountId, line);
      count(accountId, 1);
      next.start();
    }
  }

  function leave(accountId: string, waiting: Waiting): void {
    const line = lines.get(accountId);
    line?.delete(waiting);
    if (line?.size === 0) lines.delete(accountId);
  }

  /** Resolves when it is this job's turn. */
  function turn(accountId: string, { signal, bytes = 0 }: JobOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = lines.get(accountId) ?? new Set<Waiting>();
    const heldBytes = [...line].reduce((sum, other) => sum + other.bytes, 0);
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
    const timer = setTimeout(() => giveUp(tooLong()), maxWaitMs);
    const onAbort = (): void => giveUp(signal?.reason as Error);
    function stopWaiting(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
    if (signal?.aborted) onAbort();
    else if (line.size >= maxWaiting || (line.size > 0 && heldBytes + bytes > maxWaitingBytes))
      giveUp(tooMany());
    else {
      signal?.addEventListener('abort', onAbort);
      lines.set(accountId, line.add(waiting));
      startNext();
    }
    return promise;
  }

  return {
    async run(accountId, job, options = {}) {
      await turn(accountId, options);
      try {
        return await job();
      } finally {
        count(accountId, -1);
        startNext();
      }
    },
    load: () => ({ running, waiting: [...lines.values()].reduce((sum, line) => sum + line.size, 0) }),
  };
}
