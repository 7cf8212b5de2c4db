// The machine's render capacity: runs a fixed number of renders at once; the rest wait in one queue per account, served
// round-robin, for a bounded time.
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { createFairQueue, type FairQueue } from '#core/fair-queue.ts';
import { retryAfterSeconds } from '#metering/capture-slots.ts';

export type RenderQueue = FairQueue;

/**
 * Further slots, that only an account with no render running may take. A page may hold its slot for a minute, and an account that
 * renders slow pages may hold all the others. With one or two slots there are none.
 */
export const reservedPlaces = (concurrency: number): number => Math.floor(concurrency / 3);

export function createRenderQueue(size: {
  clock: Clock;
  concurrency: number;
  maxWaitMs: number;
}): RenderQueue {
  return createFairQueue({
    ...size,
    reserved: reservedPlaces(size.concurrency),
    tooLong: () =>
      new ServiceError('concurrency_limited', 'The service is busy with other renders. Retry shortly.', {
        retryAfterSeconds,
      }),
  });
}
