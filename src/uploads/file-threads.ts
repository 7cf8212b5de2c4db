// Cleans uploaded files in worker threads: sanitizes SVGs, and removes the metadata of other pictures. So no file blocks the event loop, and
// one that takes too much CPU time or memory is refused. Accounts take turns, and an account never holds every thread. Spec 4.1.2; v2 3.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceError, type ErrorCode } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import { limits } from '#core/limits.ts';
import { programFile } from '#core/programs.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { UnreadablePicture, type MetadataKind } from '#uploads/metadata/cleaning.ts';

export type FileThreads = ReturnType<typeof createFileThreads>;

/** What a thread receives. */
export interface FileJob {
  type: ImageType;
  bytes: Uint8Array<ArrayBuffer>;
}
export interface CleanBytes {
  /** Undefined if there was nothing to remove. */
  bytes: Buffer | undefined;
  found: MetadataKind[];
}

/** What the thread sends back: the clean file, a fault of the file in one of two forms, or a bug. */
export type ThreadAnswer =
  | { cleaned: Uint8Array | undefined; found: MetadataKind[] }
  | { code: ErrorCode; message: string }
  | { unreadable: string }
  | { failure: unknown };

/** Rejects with an `UnreadablePicture` if the file is damaged or takes too much, with a `ServiceError` if its SVG is refused. */
export type CleanInThread = (type: ImageType, bytes: Buffer) => Promise<CleanBytes>;

interface Thread {
  worker: Worker;
  ready: Promise<unknown>;
}

const defaults = {
  workers: 2,
  /** CPU time for one file. 10 MB of ordinary paths take 0.5 s, and the metadata of a photo 0.01 s. */
  cpuMs: 1_500,
  /** Wall-clock time for one file, for a machine that is busy with other work. */
  clockMs: 30_000,
  maxWaitMs: 30_000,
  /** Forty batches: many small files take no time, and the bytes bound how much waits. */
  maxWaiting: 400,
  /** Bytes in the spools of waiting files: two batches of the largest size. */
  maxWaitingBytes: 2 * limits.batchBytes,
};
const startTimeoutMs = 30_000;
const checkEveryMs = 100;
const memoryMb = 512;

export function createFileThreads(options: Partial<typeof defaults> = {}) {
  const { workers, cpuMs, clockMs, ...line } = { ...defaults, ...options };
  const idle = new Set<Thread>();
  const running = new Set<Thread>();
  const closed = new AbortController();
  const queue = createFairQueue({
    concurrency: workers,
    concurrencyPerAccount: Math.max(1, workers - 1),
    ...line,
    tooLong: () => busy('the machine is busy with other files'),
    tooMany: () => busy('too many files of this account are waiting to be cleaned'),
  });

  function startThread(): Thread {
    const thread = newThread();
    // A thread that exits between two files is not reused.
    thread.worker.once('exit', () => idle.delete(thread));
    return thread;
  }

  async function cleanInThread(type: ImageType, bytes: Buffer, signal: AbortSignal): Promise<CleanBytes> {
    // It may have been closed, or the request may have gone, while the file was read.
    signal.throwIfAborted();
    const [thread = startThread()] = idle;
    idle.delete(thread);
    running.add(thread);
    // A copy can be transferred without copying again; the caller's bytes may be part of a larger buffer.
    const answer = await answerOf(thread, { type, bytes: new Uint8Array(bytes) }, { cpuMs, clockMs, signal })
      .catch((error: unknown) => {
        // The state of a thread that did not answer is unknown.
        thread.worker.terminate().catch(() => {});
        throw error;
      })
      .finally(() => running.delete(thread));
    idle.add(thread);
    if ('cleaned' in answer) {
      const { cleaned, found } = answer;
      return { bytes: cleaned && Buffer.from(cleaned.buffer, 0, cleaned.length), found };
    }
    if ('unreadable' in answer) throw new UnreadablePicture(answer.unreadable);
    throw 'code' in answer ? new ServiceError(answer.code, answer.message) : answer.failure;
  }

  return {
    /**
     * Runs `work` when it is the account's turn, so that a waiting file is not held in memory. Rejects with the reason of `signal` when
     * that aborts, and stops what is under way.
     */
    run<T>(
      accountId: string,
      { sizeBytes, signal }: { sizeBytes: number; signal?: AbortSignal | undefined },
      work: (clean: CleanInThread) => Promise<T>,
    ): Promise<T> {
      const ended = signal ? AbortSignal.any([closed.signal, signal]) : closed.signal;
      return queue.run(accountId, () => work((type, bytes) => cleanInThread(type, bytes, ended)), {
        signal: ended,
        bytes: sizeBytes,
      });
    },
    async close(): Promise<void> {
      closed.abort(new Error('the threads that clean files are closed'));
      await Promise.all([...idle, ...running].map(({ worker }) => worker.terminate()));
    },
  };
}

/** Rejects if the thread does not answer, or takes too much to do so. */
async function answerOf(
  { worker, ready }: Thread,
  job: FileJob,
  { cpuMs, clockMs, signal }: { cpuMs: number; clockMs: number; signal: AbortSignal },
): Promise<ThreadAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const onError = (error: Error & { code?: string }): void =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new UnreadablePicture(`takes more than ${memoryMb} MB of memory`)
        : error,
    );
  const onExit = (code: number): void =>
    reject(new Error(`the thread that cleans files exited with ${code}`));
  const onAbort = (): void => reject(signal.reason as Error);
  let timer = setTimeout(
    () => reject(new Error('the thread that cleans files does not start')),
    startTimeoutMs,
  );
  let watch: NodeJS.Timeout | undefined;
  worker.on('error', onError).on('exit', onExit).ref();
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([ready, promise]);
    clearTimeout(timer);
    timer = setTimeout(() => reject(new Error(`a file was not cleaned within ${clockMs} ms`)), clockMs);
    const before = await worker.cpuUsage();
    watch = setInterval(() => {
      worker.cpuUsage(before).then(
        ({ user, system }) => {
          if (user + system > cpuMs * 1_000)
            reject(new UnreadablePicture(`takes more than ${cpuMs / 1_000} s of CPU time`));
        },
        // The thread has ended, which `onExit` reports.
        () => {},
      );
    }, checkEveryMs);
    worker.on('message', resolve);
    worker.postMessage(job, [job.bytes.buffer]);
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', onAbort);
    worker.off('message', resolve).off('error', onError).off('exit', onExit).unref();
  }
}

function newThread(): Thread {
  const cacheFolder = getCompileCacheDir();
  const worker = new Worker(programFile('file-cleaner'), {
    name: 'file-cleaner',
    execArgv: ['--enable-source-maps'],
    // Nothing of the environment but where compiled code is kept: the thread is ready in half the time.
    env: cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheFolder) },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
  });
  // Without a listener an error between two jobs would end the process; the next job starts another thread.
  worker.on('error', () => undefined);
  // An idle thread must not keep the process alive.
  worker.unref();
  return { worker, ready: new Promise((resolve) => worker.once('message', resolve)) };
}

/** The contract has no other retryable error for a single file of a batch. Spec 2.2, 7. */
const busy = (reason: string): ServiceError =>
  new ServiceError('internal', `file: ${reason}. The file was not stored and not metered; please retry.`, {
    cause: reason,
  });
