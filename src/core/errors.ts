// The error table of the contract and the one error class that carries it. Spec 2.5, 7.

export const errorTable = {
  unauthorized: { status: 401, retryable: false },
  quota_exceeded: { status: 402, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  file_too_large: { status: 413, retryable: false },
  batch_too_large: { status: 413, retryable: false },
  unsupported_type: { status: 415, retryable: false },
  validation_error: { status: 422, retryable: false },
  too_many_files: { status: 422, retryable: false },
  rate_limited: { status: 429, retryable: true },
  concurrency_limited: { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  capture_failed: { status: 502, retryable: true },
  render_failed: { status: 502, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

export type ErrorCode = keyof typeof errorTable;

/** The only text of an `internal` error that a client ever sees; the cause goes to the log. */
export const internalMessage = 'Something went wrong on our side. The request was not metered; please retry.';

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
    return errorTable[this.code].status;
  }
}

/** A failed request field: the message names the field and the reason. */
export function invalid(field: string, reason: string): ServiceError {
  return new ServiceError('validation_error', `${field}: ${reason}`);
}

/** The one answer to whatever does not exist, has expired, was deleted or belongs to somebody else. */
export const notFound = (cause?: unknown): ServiceError =>
  new ServiceError('not_found', 'There is nothing at this address.', { cause });

/** Anything that is not a ServiceError is a bug or an outage, and answers `internal` with a fixed text. */
export function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError
    ? error
    : new ServiceError('internal', internalMessage, { cause: error });
}
