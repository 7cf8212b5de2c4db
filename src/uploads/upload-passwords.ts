// Passwords of uploads. Each hash takes about 40 ms, 16 MB and a thread of the pool that also reads files. So they run one at a time,
// from a bounded queue in which owners take turns with visitors, and networks with networks: a flood of guesses delays only itself.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '#core/errors.ts';
import { createNestedQueue, type NestedQueueOptions } from '#core/nested-queue.ts';

const cost = { N: 16_384, r: 8, p: 1 };
const keyBytes = 32;

const busy = () =>
  new ServiceError('rate_limited', 'Too many passwords are being checked at the moment. Retry shortly.', {
    retryAfterSeconds: 5,
  });

const defaults = {
  concurrency: 1,
  maxWaitMs: 10_000,
  maxWaiting: 10,
  tooLong: busy,
};

export type UploadPasswords = ReturnType<typeof createUploadPasswords>;

export function createUploadPasswords(
  options: Pick<NestedQueueOptions, 'clock'> & Partial<NestedQueueOptions>,
) {
  const queue = createNestedQueue({ ...defaults, ...options });
  return {
    /** The stored form: salt and key in hex. */
    hash: (accountId: string, password: string): Promise<string> =>
      queue.run(['owners', accountId], async () => {
        const salt = randomBytes(16);
        return `${salt.toString('hex')}:${(await derive(password, salt)).toString('hex')}`;
      }),
    /** `networks`: those that the visitor is in, the largest first. */
    verify: (networks: readonly string[], stored: string, password: string): Promise<boolean> =>
      queue.run(['visitors', ...networks], async () => {
        const [salt = '', key = ''] = stored.split(':').map((part) => Buffer.from(part, 'hex'));
        return timingSafeEqual(await derive(password, Buffer.from(salt)), Buffer.from(key));
      }),
  };
}

/** Keyboards write the same letter in several ways, so it is normalized. */
const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
