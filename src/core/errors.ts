// The error table of the contract and the one error class that carries it. Spec 2.5, 7.

/** Code → HTTP status. */
export const errorTable = {
  unauthorized: 401,
  quota_exceeded: 402,
  not_found: 404,
  method_not_allowed: 405,
  file_too_large: 413,
  batch_too_large: 413,
  unsupported_type: 415,
  validation_error: 422,
  too_many_files: 422,
  rate_limited: 429,
  concurrency_limited: 429,
  internal: 500,
  capture_failed: 502,
  render_failed: 502,
} as const;

export type ErrorCode = keyof typeof errorTable;

/** The only text that a client sees for an `internal` error; the cause goes to the log. */
const internalMessage = 'Something went wrong on our side. The request was not metered; please retry.';

/** An answer to the client: `message` is for them, `cause` is for the log. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorTable[this.code];
  }
}

/** An invalid request field: the message names the field and the reason. */
export function invalid(field: string, reason: string): ServiceError {
  return new ServiceError('validation_error', `${field}: ${reason}`);
}

/** The same response for anything that does not exist, has expired, was deleted or belongs to another account. */
export const notFound = (cause?: unknown): ServiceError =>
  new ServiceError('not_found', 'There is nothing at this address.', { cause });

/** Anything that is not a ServiceError is a bug or an outage, and becomes `internal` with a fixed text. */
export function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError
    ? error
    : new ServiceError('internal', internalMessage, { cause: error });
}
