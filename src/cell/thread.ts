// One thread of the cell, as the service sees it: started, given one order at a time, and ended if it does not answer as it should.
import type { Worker } from 'node:worker_threads';
import { ServiceError, type ErrorCode, type ErrorDetails } from '#core/errors.ts';
import { startThread } from '#core/threads.ts';
import { Unreadable, type Made } from '#cell/work.ts';

export type Thread = Worker;

export interface Order {
  /** Its name in the table of the program. */
  work: string;
  sent: Uint8Array<ArrayBuffer>;
  options: unknown;
}

/** What was made, a fault of the bytes in one of two forms, or a bug. */
export type ThreadAnswer =
  | { made: { bytes: Uint8Array | undefined; facts: unknown } }
  | { code: ErrorCode; complaint: string; details: ErrorDetails }
  | { unreadable: string }
  | { failure: unknown };

/** Comes before the answer: everything is loaded, and the time of the work counts from then on. */
export const begun = 'begun';

const startTimeoutMs = 30_000;
const checkEveryMs = 100;
const memoryMb = 512;

export function openThread(): Thread {
  const thread = startThread('cell', {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
  });
  // Without a listener an error between two orders would end the process; the next order starts another thread.
  thread.on('error', () => undefined);
  return thread;
}

interface Limits {
  cpuMs: number;
  clockMs: number;
  signal: AbortSignal;
}

/** Rejects with what is wrong with the bytes. A thread that does not answer, or takes too much to do so, is ended: its state is unknown. */
export async function answerOf(thread: Thread, order: Order, given: Limits): Promise<Made<unknown>> {
  const answer = await ask(thread, order, given).catch((error: unknown) => {
    thread.terminate().catch(() => {});
    throw error;
  });
  if ('made' in answer) {
    const { bytes, facts } = answer.made;
    return { facts, bytes: bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) };
  }
  if ('unreadable' in answer) throw new Unreadable(answer.unreadable);
  if ('failure' in answer) throw answer.failure;
  throw new ServiceError(answer.code, answer.complaint, { details: answer.details });
}

async function ask(thread: Thread, order: Order, { cpuMs, clockMs, signal }: Limits): Promise<ThreadAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const onError = (error: Error & { code?: string }): void =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new Unreadable(`takes more than ${memoryMb} MB of memory`)
        : error,
    );
  const onExit = (code: number): void => reject(new Error(`a thread of the cell exited with ${code}`));
  const onAbort = (): void => reject(signal.reason as Error);
  let timer = setTimeout(() => reject(new Error('a thread of the cell does not start')), startTimeoutMs);
  let watch: NodeJS.Timeout | undefined;
  const onMessage = (message: ThreadAnswer | typeof begun): void => {
    if (message !== begun) return resolve(message);
    clearTimeout(timer);
    timer = setTimeout(() => reject(new Error(`${order.work} did not end within ${clockMs} ms`)), clockMs);
    watch = watchProcessor(thread, cpuMs, reject);
  };
  thread.on('error', onError).on('exit', onExit).on('message', onMessage).ref();
  signal.addEventListener('abort', onAbort);
  try {
    thread.postMessage(order, [order.sent.buffer]);
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', onAbort);
    thread.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
  }
}

/** From the first look on: most works have ended by then. Of a thread that has ended the exit is reported, so what it says does not matter. */
function watchProcessor(thread: Thread, cpuMs: number, onTooMuch: (error: Unreadable) => void) {
  let before: NodeJS.CpuUsage | undefined;
  const check = async (): Promise<void> => {
    const used = await thread.cpuUsage(before);
    if (!before) before = used;
    else if (used.user + used.system > cpuMs * 1_000)
      onTooMuch(new Unreadable(`takes more than ${cpuMs / 1_000} s of CPU time`));
  };
  return setInterval(() => {
    check().catch(() => {});
  }, checkEveryMs);
}
