// Whether and when a failed request is sent again. Spec 7.
import type { Clock } from './clock.ts';
import type { TintypeError } from './errors.ts';
import { kindOf } from './failure-kind.ts';

const firstWaitMs = 1000;
const firstJitterMs = 500;
const longestBackOffMs = 30_000;
/** If Retry-After is longer, the call fails: its caller decides whether to wait that long. */
const longestRetryAfterSeconds = 300;
const retriesOfKind = { limited: Infinity, twice: 2, transient: Infinity, final: 0 };

export interface RetryPlan {
  /** Milliseconds to wait before the next attempt, or undefined if there is none. */
  next(error: TintypeError): number | undefined;
}

export function createRetryPlan({ clock, maxRetries }: { clock: Clock; maxRetries: number }): RetryPlan {
  const seen = { limited: 0, twice: 0, transient: 0, final: 0 };
  let retries = 0;
  return {
    next(error) {
      const kind = kindOf(error);
      seen[kind] += 1;
      if (retries >= maxRetries || seen[kind] > retriesOfKind[kind]) return undefined;
      retries += 1;
      const { retryAfterSeconds } = error;
      // RFC 9110, 10.2.3: Retry-After is for 503 as it is for 429.
      const isTold = kind === 'limited' || (kind === 'transient' && error.status === 503);
      if (!isTold || retryAfterSeconds === undefined) return backOffMs(seen[kind], clock);
      if (retryAfterSeconds > longestRetryAfterSeconds) return undefined;
      // "Wait the number of seconds in Retry-After, then back off exponentially with jitter". The first wait has some jitter
      // too, or many workers would retry in the same millisecond.
      const more = seen[kind] === 1 ? firstJitterMs * clock.random() : backOffMs(seen[kind] - 1, clock);
      return Math.round(retryAfterSeconds * 1000 + more);
    },
  };
}

/** 0.5 to 1 s, then twice as long each time: half of the wait is fixed, half is random. */
function backOffMs(turn: number, clock: Clock): number {
  const ceiling = Math.min(longestBackOffMs, firstWaitMs * 2 ** (turn - 1));
  return Math.round(ceiling * (0.5 + clock.random() / 2));
}

/**
 * Retry-After in either of its forms, a number of seconds or a date. RFC 9110, 10.2.3. A date is compared with the Date of the same
 * response: the clock of this machine may be wrong.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  // RFC 9110 has whole seconds only; some proxies send 1.5, which Date.parse would take for a day in January.
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  const sentAt = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Math.ceil((at - (Number.isNaN(sentAt) ? now : sentAt)) / 1000));
}
