// One call to the service: its attempts, each with a deadline, and the waits between them. Spec 7.
import type { Clock } from './clock.ts';
import { errorFor, TintypeError } from './errors.ts';
import { adviceOn, isUntrusted, reasonOf } from './connection-faults.ts';
import { camelName, camelNames } from './letter-case.ts';
import { readMeta, type Meta } from './meta.ts';
import { createRetryPlan, parseRetryAfter } from './retry.ts';
import { version } from './version.ts';
import { exchange, type Fetch } from './transport.ts';

export interface Call {
  /** Default: POST. */
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** Needs no key, so none is sent. */
  isOpen?: boolean;
  body?: string | Blob;
  contentType?: string;
  /** For each attempt; undefined means none. */
  timeoutMs: number | undefined;
  /** The same for every attempt, so that a request whose response was lost is done and metered once. */
  idempotencyKey?: string | undefined;
  signal: AbortSignal | undefined;
  /** Instead of the sender's. */
  maxRetries?: number | undefined;
  onSent?: ((bytes: number) => void) | undefined;
}

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** The parsed body, if it is JSON. */
  json: unknown;
  meta: Meta;
}

export interface Retry {
  error: TintypeError;
  /** Attempts made so far. */
  attempts: number;
  delayMs: number;
}

export interface Sender {
  baseUrl: string;
  apiKey: string;
  clock: Clock;
  fetch: Fetch;
  maxRetries: number;
  /** For each attempt of a call that names none; undefined means the call's own default. */
  timeoutMs: number | undefined;
  onRetry: ((retry: Retry) => boolean | void) | undefined;
  /** Whether messages name fields as the API does; else as the library's callers do. */
  wireNames: boolean;
}

export async function send(sender: Sender, call: Call): Promise<Answer> {
  const { clock } = sender;
  const plan = createRetryPlan({ clock, maxRetries: call.maxRetries ?? sender.maxRetries });
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt(sender, call, attempts);
    const error = outcome instanceof TintypeError ? outcome : errorOf(outcome, sender);
    if (!error) return outcome as Answer;
    error.attempts = attempts;
    const delayMs = plan.next(error);
    const goesOn = delayMs !== undefined && sender.onRetry?.({ error, attempts, delayMs }) !== false;
    if (goesOn) {
      await clock.sleep(delayMs, call.signal);
    } else {
      // A batch whose files all failed still has an outcome for each file. Spec 4.2.5.
      if (!(outcome instanceof TintypeError) && isBatchBody(outcome.json)) return outcome;
      throw error;
    }
  }
}

async function attempt(sender: Sender, call: Call, attempts: number): Promise<Answer | TintypeError> {
  const { clock } = sender;
  const { signal, timeoutMs } = call;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  let isLate = false;
  const onLate = (): void => {
    isLate = true;
    controller.abort();
  };
  const cancelDeadline = timeoutMs === undefined ? undefined : clock.after(timeoutMs, onLate);
  try {
    const response = await exchange(
      {
        url: sender.baseUrl + call.path,
        method: call.method ?? 'POST',
        headers: {
          ...(!call.isOpen && { authorization: `Bearer ${sender.apiKey}` }),
          ...(call.contentType !== undefined && { 'content-type': call.contentType }),
          ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
          ...userAgent(),
        },
        body: call.body,
        signal: controller.signal,
        onSent: call.onSent,
        // The service may redirect downloads of hosted files to its store.
        followsRedirects: call.isOpen === true && call.method === 'GET',
      },
      sender.fetch,
    );
    // Read here, because the connection can break in the middle of the body.
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status, headers } = response;
    return { status, headers, bytes, json: parseJson(headers, bytes), meta: readMeta(headers, attempts) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (isLate) return errorFor('timeout', `no complete answer within ${timeoutMs} ms`, { cause });
    const advice = adviceOn(cause, sender.baseUrl);
    return errorFor(
      'connection_failed',
      `cannot reach ${sender.baseUrl}: ${advice ?? reasonOf(cause, sender.baseUrl)}`,
      {
        cause,
        ...(advice !== undefined && { retryable: false }),
        ...(isUntrusted(cause) && { reason: 'untrusted_certificate' }),
      },
    );
  } finally {
    cancelDeadline?.();
    signal?.removeEventListener('abort', stop);
  }
}

/** So that the request log shows the client and its version. A browser sends its own User-Agent. */
function userAgent(): Record<string, string> {
  const isBrowser = 'document' in globalThis || 'XMLHttpRequest' in globalThis;
  return isBrowser ? {} : { 'user-agent': `tintype-client/${version}` };
}

/** The error of a response; undefined if it is a result. */
function errorOf(
  { status, headers, json, meta }: Answer,
  { clock, wireNames }: Sender,
): TintypeError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (isBatchBody(json) && status < 500) return undefined;
  const details = { status, meta, retryAfterSeconds: parseRetryAfter(headers, clock.now()) };
  const { code, message, ...more } = (json as { error?: Partial<ErrorBody> } | undefined)?.error ?? {};
  if (typeof code === 'string' && typeof message === 'string') {
    if (wireNames) return errorFor(code, message, { ...details, ...more });
    const field = more.field === undefined ? undefined : camelName(more.field);
    return errorFor(code, camelNames(message), { ...details, ...more, field });
  }
  if (isBatchBody(json)) return errorFor('internal', 'every file of the batch failed', details);
  if (status >= 500) return errorFor('unavailable', `the service answered ${status}`, details);
  if (status === 429) return errorFor('rate_limited', 'the service answered 429', details);
  const hint = status < 400 ? ' (a redirect; is the base address right?)' : '';
  return errorFor('bad_answer', `the service answered ${status} without saying why${hint}`, details);
}

/** Version 2 has the optional members. */
interface ErrorBody {
  code: string;
  message: string;
  field?: string;
  reason?: string;
  retryable?: boolean;
}

export function isBatchBody(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Array.isArray((json as { items?: unknown }).items);
}

function parseJson(headers: Headers, bytes: Uint8Array): unknown {
  if (!/^application\/json\b/i.test(headers.get('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
