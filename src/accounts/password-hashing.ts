// Hashes passwords. Each hash takes about 60 ms, 32 MB and a thread of the pool that also reads files. So they run one at a time,
// from a bounded queue in which networks, and the clients in each, take turns: neither a flood of sign-ins nor a network with
// thousands of addresses delays other work.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { ServiceError } from '#core/errors.ts';
import { createNestedQueue, type NestedQueueOptions } from '#core/nested-queue.ts';

const retryAfterSeconds = 5;
const busy = () =>
  new ServiceError('rate_limited', 'Too many passwords are being checked at the moment. Retry shortly.', {
    retryAfterSeconds,
  });

const defaults = {
  concurrency: 1,
  maxWaitMs: 10_000,
  maxWaiting: 10,
  tooLong: busy,
};

/** How a password becomes the text that is stored. Tests have a cheap one. */
export interface PasswordScheme {
  hash: (password: string) => Promise<string>;
  verify: (given: { hash: string; password: string }) => Promise<boolean>;
}

export const scryptPasswords: PasswordScheme = { hash: hashPassword, verify: verifyPassword };

interface Line {
  path: readonly string[];
  /** The stored hash that a password was last compared with. */
  compared?: string;
}

export type PasswordHashing = ReturnType<typeof createPasswordHashing>;

export function createPasswordHashing(
  options: Pick<NestedQueueOptions, 'clock'> & Partial<NestedQueueOptions>,
  scheme: PasswordScheme = scryptPasswords,
) {
  const queue = createNestedQueue({ ...defaults, ...options });
  // Known where the request is answered, and needed where better-auth hashes. Never the requested account: response times must
  // not reveal whether that account exists.
  const lines = new AsyncLocalStorage<Line>();
  const inTurn = <T>(job: () => Promise<T>): Promise<T> =>
    queue.run(lines.getStore()?.path ?? ['service'], job);

  return {
    /** Hashes that `work` makes wait in this client's queue, which is inside the queues of its networks. */
    inLineOf: <T>(path: readonly string[], work: () => T): T => lines.run({ path }, work),
    hash: (password: string): Promise<string> => inTurn(() => scheme.hash(password)),
    verify: (given: { hash: string; password: string }): Promise<boolean> => {
      const line = lines.getStore();
      if (line) line.compared = given.hash;
      return inTurn(() => scheme.verify(given));
    },
    /** The stored hash that this request's password was compared with. */
    compared: (): string | undefined => lines.getStore()?.compared,
  };
}
