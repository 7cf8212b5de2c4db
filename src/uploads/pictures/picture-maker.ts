// Makes variants in the render workers, a few at a time, at most one for each account. Accounts take turns, and so do the networks that an
// account's visitors are in.
import { systemClock, type Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { createNestedQueue } from '#core/nested-queue.ts';
import type { Browser, Rendered } from '#browser/browser.ts';
import { picturesAtOnce, type PictureTask } from '#browser/picture-job.ts';

export type PictureMaker = ReturnType<typeof createPictureMaker>;

export interface PictureOrder {
  accountId: string;
  /** The networks of the client that asks, the largest first: its jobs wait in their line, inside the account's. */
  networks: readonly string[];
  task: PictureTask;
  /** Aborting removes a job that waits. */
  signal: AbortSignal;
}

const maxWaitMs = 20_000;
/** Two pages of the dashboard's grid. */
const maxWaiting = 100;

export function createPictureMaker({
  browser,
  clock = systemClock,
}: {
  browser: Pick<Browser, 'makePicture'>;
  clock?: Clock;
}) {
  const closed = new AbortController();
  const queue = createNestedQueue({
    clock,
    concurrency: picturesAtOnce,
    maxWaitMs,
    maxWaiting,
    tooLong: () => busy('Too many pictures are waiting to be made.'),
    tooMany: () => busy(`More than ${maxWaiting} pictures of this client are waiting.`),
  });
  return {
    /** Rejects with PictureDeclined if there is no picture; a busy machine is `rate_limited`. */
    make: ({ accountId, networks, task, signal }: PictureOrder): Promise<Rendered> =>
      queue.run(
        [accountId, ...networks],
        // One that runs is finished although its client has gone, because its result is kept.
        () => browser.makePicture(accountId, task, closed.signal),
        { signal: AbortSignal.any([closed.signal, signal]) },
      ),
    load: queue.load,
    close: (): void => closed.abort(busy('The service is stopping.')),
  };
}

const busy = (message: string): ServiceError =>
  new ServiceError('rate_limited', message, { retryAfterSeconds: 1 });
