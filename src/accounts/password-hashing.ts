// Hashing passwords, which takes a thread of the pool that files are read with, 32 MB and about 60 ms each time: one at a time, in a
// bounded line in which clients take turns, so that no flood of sign-ins stops anything else.
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
  // Known where the request is answered, and needed where better-auth hashes. Never by the account that is asked for: how long
  // an answer takes must not say whether there is such an account.
  const lines = new AsyncLocalStorage<string>();
  const inTurn = <T>(job: () => Promise<T>): Promise<T> => queue.run(lines.getStore() ?? '', job);

  return {
    /** What `work` hashes waits in the line of this client. */
    inLineOf: <T>(client: string, work: () => T): T => lines.run(client, work),
    hash: (password: string): Promise<string> => inTurn(() => hashPassword(password)),
    verify: (given: { hash: string; password: string }): Promise<boolean> =>
      inTurn(() => verifyPassword(given)),
  };
}
