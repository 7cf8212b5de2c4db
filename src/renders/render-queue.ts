// The machine's own capacity: a fixed number of renders at once; the rest wait, accounts take turns, and waiting is bounded.
import { createFairQueue, type FairQueue } from '#core/fair-queue.ts';
import { machineBusy } from '#metering/capture-slots.ts';

export type RenderQueue = FairQueue;

export function createRenderQueue(options: { concurrency: number; maxWaitMs: number }): RenderQueue {
  return createFairQueue({ ...options, tooLong: machineBusy });
}
