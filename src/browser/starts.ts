// Starts of render workers.
import { RenderFailure, type WorkerCounts } from '#browser/browser.ts';
import type { Member } from '#browser/pool-plan.ts';
import type { Worker } from '#browser/worker/worker.ts';

/** `isLow`: with a small share of the processor. */
export type StartWorker = (options: { isLow: boolean }) => Promise<Worker>;

export function createStarts(parts: {
  start: StartWorker;
  counts: WorkerCounts;
  /** Makes a member of a worker that has started. */
  join: (worker: Worker) => Promise<Member>;
  onBegin: () => void;
  /** Called when a start has succeeded or failed. */
  onEnd: () => void;
}) {
  const underWay = new Set<Promise<Member>>();

  /** No page has done anything yet, so another start may succeed. */
  async function begin(options: { isLow: boolean }): Promise<Worker> {
    const worker = await parts.start(options).catch((error: unknown) => {
      throw new RenderFailure('crashed', 'the browser could not be started', {
        cause: error,
        browserLost: true,
      });
    });
    parts.counts.started += 1;
    return worker;
  }

  /** Starts a worker for the first render that needs one. */
  function grow(onFailure?: (error: Error) => void): Promise<Member> {
    parts.onBegin();
    const started = begin({ isLow: false }).then(parts.join);
    const settled = () => {
      underWay.delete(started);
      parts.onEnd();
    };
    underWay.add(started);
    started.then(settled, (error: Error) => {
      onFailure?.(error);
      settled();
    });
    return started;
  }

  return {
    begin,
    grow,
    /** A start that is under way will do. */
    async growOnce(): Promise<Member> {
      const [started] = underWay;
      return started ?? grow();
    },
    underWay,
  };
}
