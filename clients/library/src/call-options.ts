// The caller's options, checked before anything is sent: a mistake is not an outage, so it throws at once and is never retried.
import { randomHex } from './form.ts';
import type { Sender } from './send.ts';
import { withoutTail } from './without-tail.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** For each attempt; 0 or Infinity means none. Default: 300 s for uploads, 105 s for screenshots, 120 s for PDFs. */
  timeoutMs?: number | undefined;
  /** Default: a new one for every call. The same key within 24 hours gets the same response and is metered once. */
  idempotencyKey?: string | undefined;
  /** Instead of the client's. */
  maxRetries?: number | undefined;
}

/** As they are sent: an undefined time limit is none. */
export interface CheckedOptions {
  signal: AbortSignal | undefined;
  maxRetries: number | undefined;
  timeoutMs: number | undefined;
  idempotencyKey: string;
}

/** The longest time that a timer accepts; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Node, Deno and Bun have an environment, browsers do not. Empty counts as not set: CI sets a missing secret to "". */
export function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

export function checkApiKey(apiKey: unknown): string {
  if (apiKey === undefined) throw new TypeError('apiKey is missing; pass it, or set TINTYPE_API_KEY');
  // Checked here, because the error for a header that cannot be sent would contain the key.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey must consist of printable ASCII characters without spaces');
  return apiKey;
}

export function checkBaseUrl(baseUrl: string | URL | undefined): string {
  if (baseUrl === undefined) throw new TypeError('baseUrl is missing; pass it, or set TINTYPE_URL');
  const text = String(baseUrl);
  const { protocol, username, password, search, hash, href } = URL.canParse(text)
    ? new URL(text)
    : ({} as Partial<URL>);
  if (href === undefined || !/^https?:$/.test(protocol ?? '')) {
    throw new TypeError(
      `baseUrl must begin with http:// or https://, such as https://images.example.com, not "${text}"`,
    );
  }
  // fetch refuses such an address. The message leaves the address out, because it contains the password.
  if (username || password) throw new TypeError('baseUrl must not contain a user name or a password');
  if (search || hash) throw new TypeError(`baseUrl must not contain ? or #: "${text}"`);
  return withoutTail(href, '/');
}

export function checkLimits({ timeoutMs, maxRetries }: Pick<CallOptions, 'timeoutMs' | 'maxRetries'>): void {
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
    throw new TypeError(`timeoutMs must be a number of milliseconds, 0 for none, not ${timeoutMs}`);
  }
  if (maxRetries !== undefined && !(maxRetries >= 0))
    throw new TypeError(`maxRetries must be 0 or more, not ${maxRetries}`);
}

export function callOf(
  sender: Pick<Sender, 'timeoutMs'>,
  options: CallOptions,
  defaultTimeoutMs: number,
): CheckedOptions {
  checkLimits(options);
  const { signal, timeoutMs, idempotencyKey, maxRetries } = options;
  // 240, because each request of a large batch appends its number, and the API accepts 255.
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,240}$/.test(idempotencyKey)) {
    throw new TypeError('idempotencyKey must have 1 to 240 visible ASCII characters');
  }
  const limitMs = timeoutMs ?? sender.timeoutMs ?? defaultTimeoutMs;
  return {
    signal,
    maxRetries,
    timeoutMs: limitMs === 0 || limitMs > longestTimerMs ? undefined : limitMs,
    idempotencyKey: idempotencyKey ?? randomHex(16),
  };
}
