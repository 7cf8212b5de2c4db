// The program of a thread: does one work at a time and answers with what it made.
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '#core/errors.ts';
import { begun, type Order, type ThreadAnswer } from '#cell/thread.ts';
import { Unreadable, type Work } from '#cell/work.ts';

/** Each is loaded when it is first asked for. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Works = Record<string, () => Promise<Work<any, unknown>>>;

export function serveWorks(works: Works): void {
  parentPort?.on('message', (order: Order) => {
    answerFor(works, order).then(
      (answer) => parentPort?.postMessage(answer, bytesOf(answer)),
      // What cannot be sent is a bug, which ends the thread.
      (error: unknown) => {
        throw error;
      },
    );
  });
}

async function answerFor(works: Works, { work, sent, options }: Order): Promise<ThreadAnswer> {
  try {
    const run = await works[work]?.();
    if (!run) throw new Error(`the cell has no work called ${work}`);
    parentPort?.postMessage(begun, []);
    const { bytes, facts } = run(Buffer.from(sent.buffer), options);
    // A copy, because a small buffer is part of a larger one that others share.
    return { made: { bytes: bytes && new Uint8Array(bytes), facts } };
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    if (!(error instanceof ServiceError)) return { failure: error };
    const { code, complaint, details } = error;
    return { code, complaint, details };
  }
}

const bytesOf = (answer: ThreadAnswer): ArrayBuffer[] =>
  'made' in answer && answer.made.bytes ? [answer.made.bytes.buffer as ArrayBuffer] : [];
