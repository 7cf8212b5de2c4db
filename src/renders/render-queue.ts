// The machine's own capacity: a fixed number of renders at once; the rest wait, accounts take turns, and waiting is bounded. Half as
// many places again are for accounts that have no render running: a page may hold its place for a minute.
import { createFairQueue, type FairQueue } from '#core/fair-queue.ts';
import { machineBusy } from '#metering/capture-slots.ts';

export type RenderQueue = FairQueue;

export function createRenderQueue(options: { concurrency: number; maxWaitMs: number }): RenderQueue {
  const reserved = Math.ceil(options.concurrency / 2);
  return createFairQueue({ ...options, reserved, tooLong: machineBusy });
}
