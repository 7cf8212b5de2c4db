// The one error class of the client. Spec 2.5, 7.
import type { BatchItem } from './batch-result.ts';
import type { ErrorCode } from './contract.ts';
import type { Meta } from './meta.ts';
import { kindOf } from './retry.ts';

/**
 * What can go wrong without the service saying so: no connection, no answer in time, a 5xx that is not the service's own,
 * an answer that is not of the contract, a file that cannot be read.
 */
export type ClientErrorCode =
  | 'connection_failed'
  | 'timeout'
  | 'unavailable'
  | 'bad_answer'
  | 'unreadable_file';

export interface TintypeErrorDetails {
  status?: number | undefined;
  meta?: Meta | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

export class TintypeError extends Error {
  override readonly name = 'TintypeError';
  readonly code: ErrorCode | ClientErrorCode;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** Request id, rate limit and quota, where there was an answer. */
  readonly meta: Meta | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** How often the request was sent. */
  attempts = 0;
  /** Of a batch that was split: the outcomes that were known before this error. */
  partial: BatchItem[] | undefined;

  constructor(code: ErrorCode | ClientErrorCode, message: string, details: TintypeErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.meta = details.meta;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** Whether the same request may succeed later: a limit, an outage, a page that did not load. */
  get isRetryable(): boolean {
    return kindOf(this) !== 'final';
  }

  /** For logs: JSON.stringify leaves out the message of an Error. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, status, requestId, retryAfterSeconds, attempts } = this;
    return { name, code, message, status, requestId, retryAfterSeconds, attempts };
  }

  /** What to tell the operator when asking about this failure. */
  get requestId(): string | undefined {
    return this.meta?.requestId;
  }
}
