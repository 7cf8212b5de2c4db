// The machine's own capacity: a fixed number of renders at once; the rest wait, accounts take turns, and waiting is bounded.
import { createFairQueue, type FairQueue } from '#core/fair-queue.ts';
import { machineBusy } from '#metering/capture-slots.ts';

export type RenderQueue = FairQueue;

/**
 * Places that only an account with no render running may take. A page may hold its place for a minute, so an account that
 * renders slow pages must not be able to hold them all. One or two places are too few to reserve any.
 */
export const reservedPlaces = (concurrency: number): number => Math.floor(concurrency / 3);

export function createRenderQueue({
  concurrency,
  maxWaitMs,
}: {
  concurrency: number;
  maxWaitMs: number;
}): RenderQueue {
  const reserved = reservedPlaces(concurrency);
  return createFairQueue({
    concurrency: concurrency - reserved,
    reserved,
    maxWaitMs,
    tooLong: machineBusy,
  });
}
