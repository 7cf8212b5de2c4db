// Runs the SVG sanitizer in worker threads, so that no file blocks the event loop, and a file that takes too much CPU time or memory
// gets a clear error. Accounts are served round-robin, and an account never holds every thread. Spec 4.1.2.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { invalid, ServiceError, type ErrorCode } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import { limits } from '#core/limits.ts';

export interface SvgFile {
  accountId: string;
  sizeBytes: number;
  /** Called when a thread is free, so that a waiting file is not held in memory. */
  read: () => Promise<Buffer>;
}

export type SvgSanitizer = ReturnType<typeof createSvgSanitizer>;

/** What the worker sends back: the file, a fault of the file, or a bug. */
export type SanitizerAnswer =
  | { sanitized: Uint8Array }
  | { code: ErrorCode; message: string }
  | { failure: unknown };

interface Thread {
  worker: Worker;
  ready: Promise<unknown>;
}

const defaults = {
  workers: 2,
  /** CPU time for one file. 10 MB of ordinary paths take 0.5 s. */
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

export function createSvgSanitizer(options: Partial<typeof defaults> = {}) {
  const { workers, cpuMs, clockMs, ...line } = { ...defaults, ...options };
  const idle = new Set<Thread>();
  const running = new Set<Thread>();
  const closed = new AbortController();
  const queue = createFairQueue({
    concurrency: workers,
    concurrencyPerAccount: Math.max(1, workers - 1),
    ...line,
    tooLong: () => busy('the machine is busy with other SVGs'),
    tooMany: () => busy('too many SVGs of this account are waiting to be sanitized'),
  });

  /** Rejects with `unsupported_type` if the document is not an SVG, `validation_error` if it is broken or hostile. */
  async function sanitize({ accountId, sizeBytes, read }: SvgFile): Promise<Buffer> {
    closed.signal.throwIfAborted();
    return queue.run(accountId, async () => runInThread(await read()), {
      signal: closed.signal,
      bytes: sizeBytes,
    });
  }

  function startThread(): Thread {
    const thread = newThread();
    // A thread that exits between two files is not reused.
    thread.worker.once('exit', () => idle.delete(thread));
    return thread;
  }

  async function runInThread(bytes: Buffer): Promise<Buffer> {
    // It may have been closed while the file was read.
    closed.signal.throwIfAborted();
    const [thread = startThread()] = idle;
    idle.delete(thread);
    running.add(thread);
    const answer = await answerOf(thread, bytes, { cpuMs, clockMs, signal: closed.signal })
      .catch((error: unknown) => {
        // The state of a thread that did not answer is unknown.
        thread.worker.terminate().catch(() => {});
        throw error;
      })
      .finally(() => running.delete(thread));
    idle.add(thread);
    if ('sanitized' in answer) return Buffer.from(answer.sanitized.buffer, 0, answer.sanitized.length);
    throw 'code' in answer ? new ServiceError(answer.code, answer.message) : answer.failure;
  }

  return {
    sanitize,
    async close(): Promise<void> {
      closed.abort(new Error('the SVG sanitizer is closed'));
      await Promise.all([...idle, ...running].map(({ worker }) => worker.terminate()));
    },
  };
}

/** Rejects if the thread does not answer, or takes too much to do so. */
async function answerOf(
  { worker, ready }: Thread,
  bytes: Buffer,
  { cpuMs, clockMs, signal }: { cpuMs: number; clockMs: number; signal: AbortSignal },
): Promise<SanitizerAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SanitizerAnswer>();
  const onError = (error: Error & { code?: string }): void =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? invalid('file', `the SVG takes more than ${memoryMb} MB of memory to sanitize`)
        : error,
    );
  const onExit = (code: number): void => reject(new Error(`the SVG sanitizer's thread exited with ${code}`));
  const onAbort = (): void => reject(signal.reason as Error);
  let timer = setTimeout(
    () => reject(new Error("the SVG sanitizer's thread does not start")),
    startTimeoutMs,
  );
  let watch: NodeJS.Timeout | undefined;
  worker.on('error', onError).on('exit', onExit).ref();
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([ready, promise]);
    clearTimeout(timer);
    timer = setTimeout(() => reject(new Error(`an SVG was not sanitized within ${clockMs} ms`)), clockMs);
    const before = await worker.cpuUsage();
    watch = setInterval(() => {
      worker.cpuUsage(before).then(
        ({ user, system }) => {
          if (user + system > cpuMs * 1_000)
            reject(invalid('file', `the SVG takes more than ${cpuMs / 1_000} s of CPU time to sanitize`));
        },
        // The thread has ended, which `onExit` reports.
        () => {},
      );
    }, checkEveryMs);
    worker.on('message', resolve);
    // A copy can be transferred without copying again; the caller's bytes may be part of a larger buffer.
    const copy = new Uint8Array(bytes);
    worker.postMessage(copy, [copy.buffer]);
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
  const worker = new Worker(new URL('svg/worker.ts', import.meta.url), {
    name: 'svg-sanitizer',
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
