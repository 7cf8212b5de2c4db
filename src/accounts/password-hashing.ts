// Hashes passwords. Each hash takes about 60 ms, 32 MB and a thread of the pool that also reads files. So they run one at a time,
// from a bounded queue in which clients take turns, and a flood of sign-ins does not delay other work.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { ServiceError } from '#core/errors.ts';
import { createFairQueue, type FairQueueOptions } from '#core/fair-queue.ts';

const retryAfterSeconds = 5;
const busy = () =>
  new ServiceError('rate_limited', 'Too many passwords are being checked at the moment. Retry shortly.', {
    retryAfterSeconds,
  });

const defaults: FairQueueOptions = {
  concurrency: 1,
  maxWaitMs: 10_000,
  maxWaiting: 10,
  tooLong: busy,
};

export type PasswordHashing = ReturnType<typeof createPasswordHashing>;

export function createPasswordHashing(options: Partial<FairQueueOptions> = {}) {
  const queue = createFairQueue({ ...defaults, ...options });
  // Known where the request is answered, and needed where better-auth hashes. Never the requested account: response times must
  // not reveal whether that account exists.
  const lines = new AsyncLocalStorage<string>();
  const inTurn = <T>(job: () => Promise<T>): Promise<T> => queue.run(lines.getStore() ?? '', job);

  return {
    /** Hashes that `work` makes wait in this client's queue. */
    inLineOf: <T>(client: string, work: () => T): T => lines.run(client, work),
    hash: (password: string): Promise<string> => inTurn(() => hashPassword(password)),
    verify: (given: { hash: string; password: string }): Promise<boolean> =>
      inTurn(() => verifyPassword(given)),
  };
}
