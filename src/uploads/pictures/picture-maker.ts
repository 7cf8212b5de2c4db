// Makes variants in processes of their own, a few at a time, at most one for each account. Accounts take turns, and so do the networks that an
// account's visitors are in. A process is used again for the next picture of the same account, until it has done enough, has failed or was
// idle for a while; a picture that has taken it over meets no other account's.
import { systemClock, type Cancel, type Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { createNestedQueue } from '#core/nested-queue.ts';
import type { OpenBlob } from '#storage/blobs.ts';
import type { PictureJob } from '#uploads/pictures/frames.ts';
import {
  startPictureProcess,
  type PictureAnswer,
  type PictureProcess,
} from '#uploads/pictures/picture-process.ts';

export type PictureMaker = ReturnType<typeof createPictureMaker>;

export interface PictureOrder {
  accountId: string;
  /** Of the client that asks, the largest first: its jobs wait in their line, inside the account's. */
  networks: readonly string[];
  job: PictureJob;
  sizeBytes: number;
  /** Called when it is the job's turn. */
  open: () => Promise<OpenBlob | undefined>;
  /** Aborting removes a job that waits. */
  signal: AbortSignal;
}

/** Two, so that one account's slow picture does not hold up everyone. */
const processesAtOnce = 2;
const jobsPerProcess = 100;
const idleMs = 60_000;
const maxWaitMs = 20_000;
/** Two pages of the dashboard's grid. */
const maxWaiting = 100;

export function createPictureMaker({ clock = systemClock }: { clock?: Clock } = {}) {
  const idle = new Map<PictureProcess, { accountId: string; cancel: Cancel }>();
  const running = new Set<PictureProcess>();
  const closed = new AbortController();
  const queue = createNestedQueue({
    clock,
    concurrency: processesAtOnce,
    maxWaitMs,
    maxWaiting,
    tooLong: () => busy('Too many pictures are waiting to be made.'),
    tooMany: () => busy(`More than ${maxWaiting} pictures of this client are waiting.`),
  });

  function take(accountId: string): PictureProcess {
    for (const [process, kept] of idle) {
      if (kept.accountId !== accountId) continue;
      leaveIdle(process);
      if (!process.isGone) return process;
    }
    // The one that was idle for longest makes room.
    const [oldest] = idle.keys();
    if (oldest && idle.size + running.size >= processesAtOnce) {
      leaveIdle(oldest);
      oldest.kill();
    }
    return startPictureProcess();
  }

  function leaveIdle(process: PictureProcess): void {
    idle.get(process)?.cancel();
    idle.delete(process);
  }

  function giveBack(process: PictureProcess, accountId: string): void {
    if (process.isGone || process.jobs >= jobsPerProcess || closed.signal.aborted) return process.kill();
    const cancel = clock.after(idleMs, () => {
      idle.delete(process);
      process.kill();
    });
    idle.set(process, { accountId, cancel });
  }

  return {
    /** Rejects if the process dies; a busy machine is `rate_limited`. */
    make: ({ accountId, networks, job, sizeBytes, open, signal }: PictureOrder) =>
      queue.run(
        [accountId, ...networks],
        async (): Promise<PictureAnswer | undefined> => {
          using original = await open();
          if (!original) return undefined;
          const process = take(accountId);
          running.add(process);
          try {
            return await process.make(job, original.stream, sizeBytes);
          } finally {
            running.delete(process);
            giveBack(process, accountId);
          }
        },
        { signal: AbortSignal.any([closed.signal, signal]) },
      ),
    load: queue.load,
    processIds: (): number[] =>
      [...idle.keys(), ...running].flatMap(({ pid, isGone }) => (isGone ? [] : (pid ?? []))),
    close(): void {
      closed.abort(new Error('the service is closing'));
      for (const process of [...idle.keys(), ...running]) process.kill();
    },
  };
}

const busy = (message: string): ServiceError =>
  new ServiceError('rate_limited', message, { retryAfterSeconds: 1 });
