// Works on what strangers have sent, in threads: no bytes block the event loop, and those that take too much processor time or memory are
// refused. Accounts take turns, then the networks of their clients, and no account holds every thread.
import { systemClock, type Clock } from '#core/clock.ts';
import { limits } from '#core/limits.ts';
import { createNestedQueue } from '#core/nested-queue.ts';
import { answerOf, openThread, type Thread } from '#cell/thread.ts';
import { CellBusy, type Made } from '#cell/work.ts';

export interface Asker {
  accountId: string;
  /** Those that the client is in, the largest first. */
  networks?: readonly string[] | undefined;
  /** Aborts when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined;
}

/** Bytes that are not in memory while they wait. */
export interface Sent {
  sizeBytes: number;
  /** The cell takes over what this returns: its bytes are moved to the thread. */
  read(): Promise<Buffer>;
}

export type Cell = ReturnType<typeof createCell>;

const defaults = {
  threads: 2,
  /** Processor time for one work. 10 MB of ordinary paths take 0.5 s, the metadata of a photo 0.01 s, and 8 MB of JSON 0.05 s. */
  cpuMs: 1_500,
  /** Wall-clock time for one work, for a machine that is busy with other things. */
  clockMs: 30_000,
  maxWaitMs: 30_000,
  /** Forty batches: many small files take no time, and the bytes bound how much waits. */
  maxWaiting: 400,
  /** Bytes in the spools of what waits: two batches of the largest size. */
  maxWaitingBytes: 2 * limits.batchBytes,
};

export function createCell(options: Partial<typeof defaults> & { clock?: Clock } = {}) {
  const settings = { ...defaults, clock: systemClock, ...options };
  const { clock, threads, cpuMs, clockMs, maxWaitMs, maxWaiting, maxWaitingBytes } = settings;
  const idle = new Set<Thread>();
  const running = new Set<Thread>();
  const closed = new AbortController();
  const waiting = new Map<string, { works: number; bytes: number }>();
  const queue = createNestedQueue({
    clock,
    concurrency: threads,
    maxWaitMs,
    maxWaiting,
    tooLong: () => new CellBusy('the machine is busy with other files'),
  });

  /**
   * Returns how to leave the line again. It is bounded by account, because the lines in it are those of networks, and an account may have
   * clients in many.
   */
  function enterLine(accountId: string, bytes: number): () => void {
    const mine = waiting.get(accountId) ?? { works: 0, bytes: 0 };
    if (mine.works === maxWaiting || mine.bytes + bytes > maxWaitingBytes)
      throw new CellBusy('too many files of this account are waiting');
    waiting.set(accountId, { works: mine.works + 1, bytes: mine.bytes + bytes });
    let isInLine = true;
    return () => {
      if (!isInLine) return;
      isInLine = false;
      const { works, bytes: all } = waiting.get(accountId)!;
      if (works === 1) waiting.delete(accountId);
      else waiting.set(accountId, { works: works - 1, bytes: all - bytes });
    };
  }

  function takeThread(): Thread {
    const [free] = idle;
    const thread = free ?? openThread();
    // A thread that exits between two works is not used again.
    if (!free) thread.once('exit', () => idle.delete(thread));
    idle.delete(thread);
    running.add(thread);
    return thread;
  }

  async function runInThread(work: string, sent: Buffer, given: unknown, signal: AbortSignal) {
    // It may have been closed, or the request may have gone, while the bytes were read.
    signal.throwIfAborted();
    const thread = takeThread();
    const order = { work, sent: movable(sent), options: given };
    try {
      const made = await answerOf(thread, order, { cpuMs, clockMs, signal });
      idle.add(thread);
      return made;
    } finally {
      running.delete(thread);
    }
  }

  return {
    /**
     * Runs the work of this name, which `src/cell-program.ts` lists, on the bytes when the asker's turn comes. Rejects with what the work
     * throws, as `Unreadable` if the bytes take too much, as `CellBusy` if too much waits, and with the reason of the asker's signal: what
     * is under way is then ended.
     */
    async inCell<W extends (sent: Buffer, options: never) => Made<unknown>>(
      work: string,
      { sizeBytes, read }: Sent,
      given: Parameters<W>[1],
      { accountId, networks = ['no network'], signal }: Asker,
    ): Promise<ReturnType<W>> {
      const ended = signal ? AbortSignal.any([closed.signal, signal]) : closed.signal;
      const leaveLine = enterLine(accountId, sizeBytes);
      const run = async () => {
        leaveLine();
        return (await runInThread(work, await read(), given, ended)) as ReturnType<W>;
      };
      try {
        return await queue.run([accountId, ...networks], run, { signal: ended });
      } finally {
        leaveLine();
      }
    },
    async close(): Promise<void> {
      closed.abort(new Error('the cell is closed'));
      await Promise.all([...idle, ...running].map((thread) => thread.terminate()));
    },
  };
}

/** Bytes that are part of a larger buffer are copied: they cannot be moved alone. */
function movable(sent: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = sent;
  return buffer instanceof ArrayBuffer && buffer.byteLength === sent.length
    ? new Uint8Array(buffer)
    : new Uint8Array(sent);
}
