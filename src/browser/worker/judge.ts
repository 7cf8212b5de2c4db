// Judges running workers from outside and as a whole: the memory of the process group, and an answer to a ping. Which page it was does
// not matter, because all of them belong to one account. Reads /proc; without it (macOS) memory is not judged.
import { RenderFailure } from '#browser/browser.ts';
import { memoryOfGroups } from '#browser/process/proc.ts';
import type { Worker } from '#browser/worker/worker.ts';

export interface MemoryLimits {
  /** What a worker and its browser take before any page. */
  workerBytes: number;
  /** For each of its renders, in addition. */
  renderBytes: number;
  /** What the machine has left for all. */
  leftBytes: () => number;
}

export interface Judge {
  /** Begins to look, for as long as any worker has a render. */
  watch(): void;
  /** Memory of the worker when it was last looked at. */
  bytesOf(worker: Worker): number;
  stop(): void;
}

const lookMs = 250;
const pingMs = 1_000;
const answerMs = 5_000;
// What a worker may always use: others may have taken the rest.
const floorBytes = 512 * 1024 ** 2;

export function createJudge(workers: () => Worker[], limits: MemoryLimits): Judge {
  const bytes = new WeakMap<Worker, number>();
  const pinged = new WeakMap<Worker, number>();
  let timer: NodeJS.Timeout | undefined;

  function judgeMemory(busy: Worker[]): void {
    const sums = memoryOfGroups(new Set(busy.map(({ pid }) => pid)));
    for (const worker of busy) {
      const used = sums.get(worker.pid) ?? 0;
      bytes.set(worker, used);
      const allowed = limits.workerBytes + Math.max(1, worker.running) * limits.renderBytes;
      // Twice of what is left, so that the largest worker ends while there is still some for the others.
      const available = Math.max(floorBytes, 2 * limits.leftBytes());
      if (used > allowed) endFor(worker, 'the page exceeded the memory limit of a render');
      else if (used > available) endFor(worker, 'the page needed more memory than there is left');
    }
  }

  /** A single render is the one that took the memory, and a second attempt would only take it again. */
  function endFor(worker: Worker, because: string): void {
    worker.end(new RenderFailure('too_large', because, { browserLost: worker.running > 1 }));
  }

  function ping(worker: Worker): void {
    const now = performance.now();
    if (now - (pinged.get(worker) ?? -Infinity) < pingMs) return;
    // Not before it has answered.
    pinged.set(worker, Infinity);
    worker.ask('ping', answerMs).then(
      () => pinged.set(worker, performance.now()),
      () => {
        if (worker.gone.aborted) return;
        worker.end(
          new RenderFailure('too_large', 'the page kept the browser from its other work', {
            browserLost: true,
          }),
        );
      },
    );
  }

  function look(): void {
    const busy = workers().filter(({ undiscarded }) => undiscarded > 0);
    if (busy.length === 0) return stop();
    judgeMemory(busy);
    for (const worker of busy) ping(worker);
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch() {
      timer ??= setInterval(look, lookMs).unref();
    },
    bytesOf: (worker) => bytes.get(worker) ?? 0,
    stop,
  };
}
