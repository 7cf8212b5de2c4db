// The errors that the client throws: one class, and a subclass for each kind of failure. Spec 2.5, 7.
import type { BatchItem } from './batch-result.ts';
import { contractErrors, type ErrorCode } from './contract.ts';
import { kindOf } from './failure-kind.ts';
import type { Meta } from './meta.ts';

/**
 * Failures that the service did not report: no connection, no response in time, a 5xx from something in between, a response that
 * does not follow the contract, a file that cannot be read.
 */
export type ClientErrorCode =
  | 'connection_failed'
  | 'timeout'
  | 'unavailable'
  | 'bad_answer'
  | 'unreadable_file';

/** A later version of the service may have more codes. */
type Code = ErrorCode | ClientErrorCode | (string & {});

type CodeWith<Status extends number> = {
  [Name in ErrorCode]: (typeof contractErrors)[Name]['status'] extends Status ? Name : never;
}[ErrorCode];

export interface TintypeErrorDetails {
  status?: number | undefined;
  meta?: Meta | undefined;
  retryAfterSeconds?: number | undefined;
  field?: string | undefined;
  reason?: string | undefined;
  retryable?: boolean | undefined;
  cause?: unknown;
}

/** The same symbol in every copy of the library: a program may load it as ESM and as CommonJS, or in two versions. */
const brand = Symbol.for('@tintype/client error');

/**
 * Everything that can go wrong with a call.
 *
 * @example
 * try {
 *   await tintype.upload('photo.jpg');
 * } catch (error) {
 *   if (error instanceof QuotaExceededError) console.error('no uploads left this month');
 *   else if (error instanceof TintypeError && error.isRetryable) await tryLater();
 *   else throw error;
 * }
 */
export class TintypeError extends Error {
  /** The codes of this class; undefined means all codes. */
  static readonly codes: readonly Code[] | undefined = undefined;

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return this.codes === undefined || this.codes.includes((value as { code?: Code }).code as Code);
  }

  override readonly name: string = 'TintypeError';
  readonly code: Code;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** Request id, rate limit and quota, if there was a response. */
  readonly meta: Meta | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The field of a render request that it is about. */
  readonly field: string | undefined;
  /** Why a render failed, as one word: `timeout`, `selector_missing`, …; of a connection: `untrusted_certificate`. */
  readonly reason: string | undefined;
  /** What the service says; undefined if it says nothing. */
  readonly retryable: boolean | undefined;
  /** How many times the request was sent. */
  attempts = 0;
  /** If a batch was split: the outcomes that were known before this error. */
  partial: BatchItem[] | undefined;

  constructor(code: Code, message: string, details: TintypeErrorDetails = {}) {
    super(message, { cause: details.cause });
    Object.defineProperty(this, brand, { value: true });
    this.code = code;
    this.status = details.status;
    this.meta = details.meta;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.field = details.field;
    this.reason = details.reason;
    this.retryable = details.retryable;
  }

  /** Whether the same request may succeed later: a limit, an outage, a page that did not load. */
  get isRetryable(): boolean {
    return kindOf(this) !== 'final';
  }

  /** For logs: JSON.stringify leaves out the message of an Error. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, status, field, reason, requestId, retryAfterSeconds, attempts } = this;
    return { name, code, message, status, field, reason, requestId, retryAfterSeconds, attempts };
  }

  /** The id to name when you report this failure to the operator. */
  get requestId(): string | undefined {
    return this.meta?.requestId;
  }
}

const codesWith = <Status extends number>(...statuses: Status[]): CodeWith<Status>[] =>
  (Object.keys(contractErrors) as ErrorCode[]).filter((code): code is CodeWith<Status> =>
    (statuses as number[]).includes(contractErrors[code].status),
  );

/** The key is missing, wrong, expired, or not allowed to do this. Change it before the next call. */
export class AuthenticationError extends TintypeError {
  static override readonly codes: CodeWith<401>[] = codesWith(401);
  override readonly name = 'AuthenticationError';
  declare readonly code: (typeof AuthenticationError.codes)[number];
}

/** The units of this month are used up. */
export class QuotaExceededError extends TintypeError {
  static override readonly codes: CodeWith<402>[] = codesWith(402);
  override readonly name = 'QuotaExceededError';
  declare readonly code: (typeof QuotaExceededError.codes)[number];
}

/** The request was refused, and would be refused again. */
export class RequestError extends TintypeError {
  static override readonly codes: (CodeWith<403 | 404 | 405 | 413 | 415 | 422> | 'unreadable_file')[] = [
    ...codesWith(403, 404, 405, 413, 415, 422),
    'unreadable_file',
  ];
  override readonly name: string = 'RequestError';
  declare readonly code: (typeof RequestError.codes)[number];
}

/** The request budget or the render cap is used up; `retryAfterSeconds` says for how long. */
export class RateLimitError extends TintypeError {
  static override readonly codes: CodeWith<429>[] = codesWith(429);
  override readonly name = 'RateLimitError';
  declare readonly code: (typeof RateLimitError.codes)[number];
}

/** The page could not be loaded, captured or printed. */
export class RenderError extends TintypeError {
  static override readonly codes: CodeWith<502>[] = codesWith(502);
  override readonly name = 'RenderError';
  declare readonly code: (typeof RenderError.codes)[number];
}

/** The service could not be reached, did not respond in time, or failed. */
export class UnavailableError extends TintypeError {
  static override readonly codes: (
    | CodeWith<500>
    | 'connection_failed'
    | 'timeout'
    | 'unavailable'
    | 'bad_answer'
  )[] = [...codesWith(500), 'connection_failed', 'timeout', 'unavailable', 'bad_answer'];
  override readonly name = 'UnavailableError';
  declare readonly code: (typeof UnavailableError.codes)[number];
}

const kinds = [
  AuthenticationError,
  QuotaExceededError,
  RequestError,
  RateLimitError,
  RenderError,
  UnavailableError,
];

/** The error of the class that its code belongs to; a code that this version does not know has none. */
export function errorFor(code: Code, message: string, details?: TintypeErrorDetails): TintypeError {
  const Kind = kinds.find(({ codes }) => (codes as string[]).includes(code)) ?? TintypeError;
  return new Kind(code, message, details);
}
