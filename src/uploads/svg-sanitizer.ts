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

interface Slot {
  worker: Worker | undefined;
  stopJob: ((error: unknown) => void) | undefined;
}

const memoryMb = 512;

export function createSvgSanitizer({ workers = 2, timeoutMs = 5000 } = {}): SvgSanitizer {
  const slots: Slot[] = Array.from({ length: workers }, () => {
    const slot: Slot = { worker: undefined, stopJob: undefined };
    slot.worker = startWorker(slot);
    return slot;
  });
  const waiting: Job[] = [];
  let isClosed = false;

  function runNext(): void {
    const slot = slots.find(({ stopJob }) => stopJob === undefined);
    const job = slot === undefined ? undefined : waiting.shift();
    if (slot !== undefined && job !== undefined) run(slot, job);
  }

  function run(slot: Slot, job: Job): void {
    const worker = (slot.worker ??= startWorker(slot));
    worker.ref();

    const finish = (): void => {
      clearTimeout(timer);
      worker.off('message', onAnswer).off('error', onCrash).off('exit', onExit);
      worker.unref();
      slot.stopJob = undefined;
      runNext();
    };
    /** The worker may be in any state: it is ended, and the next job starts another. */
    const replace = (error: unknown): void => {
      slot.worker = undefined;
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
      replace(new Error(`the SVG sanitizer's worker exited with ${code}`));

    const timer = setTimeout(() => replace(invalid('file', 'the SVG takes too long to sanitize')), timeoutMs);
    slot.stopJob = replace;
    worker.on('message', onAnswer).on('error', onCrash).on('exit', onExit);
    // A copy of its own can be handed over without another one, whatever buffer the caller's bytes are a part of.
    const copy = new Uint8Array(job.bytes);
    worker.postMessage(copy, [copy.buffer]);
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
      for (const job of waiting.splice(0)) job.reject(closed);
      const running = slots.flatMap(({ worker }) => worker ?? []);
      for (const { stopJob } of slots) stopJob?.(closed);
      await Promise.all(running.map((worker) => worker.terminate()));
    },
  };
}

function startWorker(slot: Slot): Worker {
  const worker = new Worker(new URL('svg/worker.ts', import.meta.url), {
    name: 'svg-sanitizer',
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
  });
  // One that dies between jobs is started anew by the next.
  worker.on('error', () => undefined);
  worker.on('exit', () => {
    if (slot.worker === worker) slot.worker = undefined;
  });
  // An idle worker keeps no process alive.
  worker.unref();
  return worker;
}
