// Makes variants in processes of their own, a few at a time, at most one for each account. A process is used again for the next picture
// of the same account, until it has done enough, has failed or was idle for a while; a picture that has taken it over meets no other
// account's.
import { systemClock, type Cancel, type Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import type { OpenBlob } from '#storage/blobs.ts';
import type { PictureJob } from '#uploads/pictures/frames.ts';
import {
  startPictureProcess,
  type PictureAnswer,
  type PictureProcess,
} from '#uploads/pictures/picture-process.ts';

export type PictureMaker = ReturnType<typeof createPictureMaker>;

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
  const queue = createFairQueue({
    concurrency: processesAtOnce,
    concurrencyPerAccount: 1,
    maxWaitMs,
    clock,
    maxWaiting,
    tooLong: () => busy('The machine is busy with other pictures.'),
    tooMany: () => busy(`More than ${maxWaiting} pictures of this account are waiting.`),
  });

  function take(accountId: string): PictureProcess {
    for (const [process, { accountId: user }] of idle) {
      if (user !== accountId) continue;
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
    /** `open` is called when it is the job's turn. Rejects if the process dies; a busy machine is `rate_limited`. */
    make: (
      accountId: string,
      job: PictureJob,
      sizeBytes: number,
      open: () => Promise<OpenBlob | undefined>,
    ): Promise<PictureAnswer | undefined> =>
      queue.run(
        accountId,
        async () => {
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
        { signal: closed.signal },
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
