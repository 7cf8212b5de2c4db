// Runs the SVG sanitizer in worker threads, so that no file stalls the event loop and one that takes too long or too much
// memory ends in a clear error. Spec 4.1.2.
import { Worker } from 'node:worker_threads';
import type { ErrorCode } from '#core/errors.ts';
import { invalid, ServiceError } from '#core/errors.ts';

export interface SvgSanitizer {
  /** Rejects with `unsupported_type` when the document is no SVG, `validation_error` when it is a broken or hostile one. */
  sanitize(bytes: Buffer): Promise<Buffer>;
  close(): Promise<void>;
}

/** What the worker sends back. */
export type SanitizerAnswer =
  | { sanitized: Uint8Array }
  | { code: ErrorCode; message: string }
  | { failure: unknown };

interface Job {
  bytes: Buffer;
  resolve: (sanitized: Buffer) => void;
  reject: (error: unknown) => void;
}

interface Thread {
  worker: Worker;
  ready: Promise<unknown>;
}

interface Slot {
  thread: Thread | undefined;
  stopJob: ((error: unknown) => void) | undefined;
}

const startTimeoutMs = 30_000;
const memoryMb = 512;

export function createSvgSanitizer({ workers = 2, timeoutMs = 5000 } = {}): SvgSanitizer {
  const slots: Slot[] = Array.from({ length: workers }, () => ({
    thread: startThread(),
    stopJob: undefined,
  }));
  const waiting: Job[] = [];
  let isClosed = false;

  function runNext(): void {
    const slot = slots.find(({ stopJob }) => stopJob === undefined);
    const job = slot === undefined ? undefined : waiting.shift();
    if (slot !== undefined && job !== undefined) run(slot, job);
  }

  function run(slot: Slot, job: Job): void {
    const { worker, ready } = (slot.thread ??= startThread());
    let isOver = false;

    const finish = (): void => {
      isOver = true;
      clearTimeout(timer);
      worker.off('message', onAnswer).off('error', onCrash).off('exit', onExit);
      worker.unref();
      slot.stopJob = undefined;
      runNext();
    };
    /** The thread may be in any state: it is ended, and the next job starts another. */
    const replace = (error: unknown): void => {
      slot.thread = undefined;
      void worker.terminate();
      job.reject(error);
      finish();
    };
    const onAnswer = (answer: SanitizerAnswer): void => {
      if ('sanitized' in answer)
        job.resolve(Buffer.from(answer.sanitized.buffer, 0, answer.sanitized.length));
      else job.reject('code' in answer ? new ServiceError(answer.code, answer.message) : answer.failure);
      finish();
    };
    const onCrash = (error: Error & { code?: string }): void => {
      const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      replace(isOutOfMemory ? invalid('file', 'the SVG takes too much memory to sanitize') : error);
    };
    const onExit = (code: number): void =>
      replace(new Error(`the SVG sanitizer's thread exited with ${code}`));

    let timer = setTimeout(
      () => replace(new Error("the SVG sanitizer's thread does not start")),
      startTimeoutMs,
    );
    slot.stopJob = replace;
    worker.on('error', onCrash).on('exit', onExit);
    worker.ref();
    void ready.then(() => {
      if (isOver) return;
      clearTimeout(timer);
      timer = setTimeout(() => replace(invalid('file', 'the SVG takes too long to sanitize')), timeoutMs);
      worker.on('message', onAnswer);
      // A copy of its own can be handed over without another one, whatever buffer the caller's bytes are a part of.
      const copy = new Uint8Array(job.bytes);
      worker.postMessage(copy, [copy.buffer]);
    });
  }

  return {
    sanitize: (bytes) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new Error('the SVG sanitizer is closed');
        waiting.push({ bytes, resolve, reject });
        runNext();
      }),
    async close() {
      isClosed = true;
      const closed = new Error('the SVG sanitizer is closed');
      const running = slots.flatMap(({ thread }) => thread?.worker ?? []);
      for (const job of waiting.splice(0)) job.reject(closed);
      for (const { stopJob } of slots) stopJob?.(closed);
      await Promise.all(running.map((worker) => worker.terminate()));
    },
  };
}

function startThread(): Thread {
  const worker = new Worker(new URL('svg/worker.ts', import.meta.url), {
    name: 'svg-sanitizer',
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
  });
  // Without a listener an error between two jobs would end the process; the next job meets the exit and starts anew.
  worker.on('error', () => undefined);
  // An idle thread keeps no process alive.
  worker.unref();
  return { worker, ready: new Promise((resolve) => worker.once('message', resolve)) };
}
