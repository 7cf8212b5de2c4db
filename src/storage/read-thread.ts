// Runs reads in a worker thread. It starts with the first, because most commands need none.
import type { Worker } from 'node:worker_threads';
import { startThread } from '#core/threads.ts';
import type { Read } from '#storage/read-connection.ts';
import type { ReadAnswer } from '#storage/read-worker.ts';

/** A read that the thread has been sent. */
interface Waiting {
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

export function createReadThread(path: string) {
  let worker: Worker | undefined;
  let isClosing = false;
  /** The thread answers in the order in which it is asked. */
  const waiting: Waiting[] = [];

  function start(): Worker {
    const started = startThread('database-reader', { workerData: path });
    started.on('message', (answer: ReadAnswer) => {
      const read = waiting.shift();
      if (waiting.length === 0 && !isClosing) started.unref();
      if ('rows' in answer) read?.resolve(answer.rows);
      else read?.reject(answer.failure);
    });
    let failure: unknown;
    started.on('error', (error) => (failure = error));
    // The next read starts another.
    started.on('exit', (code) => {
      worker = undefined;
      failure ??= new Error(`the thread that reads the database exited with ${code}`);
      for (const { reject } of waiting.splice(0)) reject(failure);
    });
    return started;
  }

  return {
    async rowsOf({ sql, parameters }: Read): Promise<unknown[]> {
      worker ??= start();
      // A command that waits for its rows must not end.
      worker.ref();
      const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
      waiting.push({ resolve, reject });
      worker.postMessage({ sql, parameters } satisfies Read, []);
      try {
        return await promise;
      } catch (cause) {
        // With the stack of the caller, which the thread does not know.
        throw new Error((cause as Error).message, { cause });
      }
    },
    /** After the reads that were sent before. */
    async close(): Promise<void> {
      isClosing = true;
      if (!worker) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      worker.once('exit', () => resolve()).ref();
      worker.postMessage('close', []);
      await promise;
    },
  };
}
