// What a caller may set, checked by name before anything is sent: a mistake is not an outage, so it is never retried.
import { randomHex } from './form.ts';
import { withoutTail } from './without-tail.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Of each attempt; 0 or Infinity is none. Unless told: 300 s for uploads, 105 s for screenshots, 120 s for PDFs. */
  timeoutMs?: number | undefined;
  /** Made fresh for every call unless told; the same key within 24 hours gives the same answer and is metered once. */
  idempotencyKey?: string | undefined;
}

/** What a timer can wait; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Of Node, Deno and Bun; browsers have none. Empty counts as not set, as CI gives it for a secret that is missing. */
export function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

export function checkApiKey(apiKey: unknown): string {
  if (apiKey === undefined) throw new TypeError('apiKey is missing; give it, or set TINTYPE_API_KEY');
  // Checked here, because a header that cannot be sent would name the key in its error.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey must be a text of printable characters without spaces');
  return apiKey;
}

export function checkBaseUrl(baseUrl: string | URL | undefined): string {
  if (baseUrl === undefined) throw new TypeError('baseUrl is missing; give it, or set TINTYPE_URL');
  const text = String(baseUrl);
  const { protocol, username, password, href } = URL.canParse(text) ? new URL(text) : ({} as Partial<URL>);
  if (href === undefined || !/^https?:$/.test(protocol ?? '')) {
    throw new TypeError(
      `baseUrl must begin with http:// or https://, such as https://images.example.com, not "${text}"`,
    );
  }
  // fetch refuses such an address; the message has no address in it, because of the password.
  if (username || password) throw new TypeError('baseUrl must be without a user name and a password');
  return withoutTail(href, '/');
}

export function callOf({ signal, timeoutMs, idempotencyKey }: CallOptions, usualTimeoutMs: number) {
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
    throw new TypeError(`timeoutMs must be a number of milliseconds, 0 for none, not ${timeoutMs}`);
  }
  // 240, because the parts of a large batch add their number to the 255 that the API takes.
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,240}$/.test(idempotencyKey)) {
    throw new TypeError('idempotencyKey must have 1 to 240 visible ASCII characters');
  }
  const limitMs = timeoutMs ?? usualTimeoutMs;
  return {
    signal,
    timeoutMs: limitMs === 0 || limitMs > longestTimerMs ? undefined : limitMs,
    idempotencyKey: idempotencyKey ?? randomHex(16),
  };
}
