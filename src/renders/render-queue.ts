// The machine's render capacity: runs a fixed number of renders at once; the rest wait in one queue per account, served
// round-robin, for a bounded time.
import { createFairQueue, type FairQueue } from '#core/fair-queue.ts';
import { machineBusy } from '#metering/capture-slots.ts';

export type RenderQueue = FairQueue;

/**
 * Slots that only an account with no render running may take. A page may hold its slot for a minute, so an account that renders
 * slow pages must not be able to hold them all. With one or two slots none is reserved.
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
