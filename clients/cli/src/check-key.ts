// Tries a key at no cost: an upload form without a file is refused before anything is metered, but only after the key and the
// request budget were looked at. Spec 4.1, 7.
import type { RateLimit } from '../../library/src/meta.ts';
import { realClock } from '../../library/src/clock.ts';
import { TintypeError } from '../../library/src/errors.ts';
import { encodeForm, randomHex } from '../../library/src/form.ts';
import { send } from '../../library/src/send.ts';
import type { Settings } from './settings.ts';

export async function checkKey({ url, key }: Settings, signal: AbortSignal): Promise<RateLimit | undefined> {
  const { body, contentType } = encodeForm([], undefined);
  try {
    await send(
      { baseUrl: url, apiKey: key, clock: realClock, fetch, maxRetries: 0, onRetry: undefined },
      { path: '/api/v1/upload', body, contentType, timeoutMs: 30_000, idempotencyKey: randomHex(16), signal },
    );
  } catch (error) {
    if (error instanceof TintypeError && error.status === 422) return error.meta?.rateLimit;
    throw error;
  }
  throw new TintypeError('bad_answer', `${url} took an upload without a file; is it the right address?`);
}
