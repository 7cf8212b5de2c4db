// The error table of the contract and the one error class that carries it. A new code has an entry here and a row in
// docs/contract.md; everything else about it is generated or derived. Spec 2.5, 7.

/**
 * Where a code can occur: the operations of the OpenAPI document are built from this. `render` is screenshot and pdf; `body` is what
 * takes JSON in version 2; `elsewhere` is a path that is no endpoint.
 */
export type ErrorPlace =
  | 'everywhere'
  | 'metered'
  | 'upload'
  | 'fetch'
  | 'batch'
  | 'render'
  | 'screenshot'
  | 'pdf'
  | 'body'
  | 'elsewhere';

/** The version of the interface. */
export type Version = 1 | 2;

interface ErrorEntry {
  /** The versions that have it; both, if it is left out. */
  versions?: readonly Version[];
  status: number;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  where: ErrorPlace;
  /** What happened and what the caller does about it, in Markdown. */
  means: string;
  todo: string;
  /** A message as clients see it, for the OpenAPI document; the numbers are those of one account. */
  example: string;
}

/** The only text that a client sees for an `internal` error; the cause goes to the log. */
const internalMessage = 'Something went wrong on our side. The request was not metered; please retry.';

/**
 * Everything that is known of a code. docs/errors.md, the reference at /docs, the OpenAPI document and the clients' tables are made from
 * this (`npm run document`).
 */
export const errorTable = {
  unauthorized: {
    status: 401,
    retryable: false,
    where: 'everywhere',
    means:
      'The key is missing, malformed, unknown, revoked or expired, may not do this, or its account is suspended or unverified.',
    todo: 'Send `Authorization: Bearer <API_KEY>` with a valid key. The log of the service has the reason, and the request log in the dashboard too if the key is known.',
    example: 'Authorization: send a valid API key as "Bearer <API_KEY>".',
  },
  quota_exceeded: {
    status: 402,
    retryable: false,
    where: 'metered',
    means: "The month's upload or render units are used up, and overages are off or not part of the plan.",
    todo: 'Wait for the first of the month (UTC), change the plan, or turn overages on.',
    example:
      'The monthly quota of 2 upload units is used up. It resets with the next calendar month (UTC); overages, which the plan offers, or a larger plan lift it now.',
  },
  forbidden: {
    versions: [2],
    status: 403,
    retryable: false,
    where: 'everywhere',
    means: 'The key is valid, but its scope does not allow this. Version 1 says `unauthorized`.',
    todo: 'Use a key whose scope allows it, or one with the scope all.',
    example: 'Authorization: this API key may not render; it is for uploads only.',
  },
  not_found: {
    status: 404,
    retryable: false,
    where: 'elsewhere',
    means: 'There is nothing at this path, or what was there is deleted or expired.',
    todo: 'Check the path: lower case, no slash at the end.',
    example: 'There is nothing at this address.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    where: 'everywhere',
    means:
      'The path does not take this method. Those of version 1 take only POST, and preflights from the origins in `CORS_ORIGINS`.',
    todo: 'Use a method of the header `Allow`.',
    example: 'Only POST works here.',
  },
  file_too_large: {
    status: 413,
    retryable: false,
    where: 'upload',
    means: 'A file is larger than 10 MB (10 × 1024 × 1024 bytes).',
    todo: 'Send a smaller file.',
    example: 'file: larger than 10485760 bytes (10 MB).',
  },
  batch_too_large: {
    versions: [1],
    status: 413,
    retryable: false,
    where: 'batch',
    means: 'The files of a batch are larger than 50 MB in total. Nothing was stored.',
    todo: 'Send smaller batches.',
    example: 'file: together more than 52428800 bytes (50 MB).',
  },
  request_too_large: {
    versions: [2],
    status: 413,
    retryable: false,
    where: 'body',
    means:
      'The body is larger than 8 MB, or its files are larger than 20 MB in total. JSON bodies of other requests are at most 64 KB.',
    todo: 'Send a smaller document; load large files from an address.',
    example: 'body: larger than 8388608 bytes; send a smaller document, or load parts of it from an address',
  },
  unsupported_type: {
    status: 415,
    retryable: false,
    where: 'upload',
    means:
      'The content is not PNG, JPEG, GIF, WebP, SVG or AVIF. The name and the declared type are ignored.',
    todo: 'Convert the file.',
    example: 'file: its content is not a PNG, JPEG, GIF, WebP, SVG or AVIF',
  },
  validation_error: {
    status: 422,
    retryable: false,
    where: 'everywhere',
    means:
      'A field or header is wrong; the message names it and the reason. A compressed body (`Content-Encoding`) is refused too.',
    todo: 'Correct the field.',
    example: 'expires_in: must be an integer from 60 to 31536000 (seconds), not "5"',
  },
  too_many_files: {
    versions: [1],
    status: 422,
    retryable: false,
    where: 'batch',
    means: 'A batch has more than 10 files. Nothing was stored.',
    todo: 'Send at most 10.',
    example: 'file: more than 10 files in one batch.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    where: 'everywhere',
    means: "The account's requests for this minute are used up. Nothing was metered.",
    todo: 'Wait for the seconds in `Retry-After`, then back off exponentially with jitter.',
    example: 'The budget of 3 requests a minute is spent. It refills in 60 s.',
  },
  concurrency_limited: {
    status: 429,
    retryable: true,
    where: 'render',
    means: 'The account already runs as many renders as its plan allows, or the service is busy.',
    todo: 'Wait for the seconds in `Retry-After`.',
    example: 'The one concurrent render of the plan is in use. Retry when it has finished.',
  },
  queue_full: {
    versions: [2],
    status: 429,
    retryable: true,
    where: 'render',
    means:
      'As many renders of the account wait in the queue as its plan allows, or 10,000 messages to a `webhook_url` wait for their receivers.',
    todo: 'Wait for the seconds in `Retry-After`.',
    example: 'All 100 places in the queue of the plan are taken. Retry when a render has begun.',
  },
  internal: {
    status: 500,
    retryable: true,
    where: 'everywhere',
    means: 'An error in the service. Nothing was metered.',
    todo: 'Retry with exponential backoff. If you report it, name the `x-request-id` of the response: the log has the cause under it.',
    example: internalMessage,
  },
  fetch_failed: {
    versions: [2],
    status: 502,
    retryable: true,
    where: 'fetch',
    means: 'The file at `url` could not be fetched. Nothing was metered.',
    todo: 'Check the address; retry with backoff if `retryable` is true.',
    example: 'url: example.com answered with the status 404',
  },
  capture_failed: {
    versions: [1],
    status: 502,
    retryable: true,
    where: 'screenshot',
    means: 'The page could not be loaded or captured. Nothing was metered.',
    todo: 'Retry once or twice with backoff, then stop.',
    example: 'url: example.com could not be loaded: it cannot be reached',
  },
  render_failed: {
    status: 502,
    retryable: true,
    where: 'pdf',
    means:
      'The page could not be loaded or printed. Nothing was metered. In version 2 it is the code of every render, with a `reason`.',
    todo: 'Retry once or twice with backoff, then stop. In version 2 only if `retryable` is true.',
    example: 'url: example.com could not be loaded: it cannot be reached',
  },
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** The codes of one version of the interface. */
export const errorCodesOf = (version: Version): ErrorCode[] =>
  errorCodes.filter((code) => (errorTable[code] as ErrorEntry).versions?.includes(version) ?? true);

/** What version 2 says of an error beside its code and message. */
export interface ErrorDetails {
  /** It is about what one request does with a result: others that ask for the same result try for themselves. */
  isOfDelivery?: true;
  /** The field of the request that it is about. */
  field?: string | undefined;
  /** The messages of further mistakes in the same request, which version 2 shows too. */
  others?: string[];
  /** Why a render failed, as one word. */
  reason?: string | undefined;
  /** What else was not as it should be, as in the receipt of a render. */
  warnings?: readonly { code: string; message: string; url: string | null }[] | undefined;
  /** If it differs from what the table says of the code. */
  retryable?: boolean | undefined;
}

/** An answer to the client: `message` is for them, `cause` is for the log. It begins with the field that it is about. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** The message without the field. */
  readonly complaint: string;
  readonly retryAfterSeconds: number | undefined;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    complaint: string,
    options: { cause?: unknown; retryAfterSeconds?: number; details?: ErrorDetails } = {},
  ) {
    const { field } = options.details ?? {};
    super(field === undefined ? complaint : `${field}: ${complaint}`, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.complaint = complaint;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details ?? {};
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** An invalid request field: the message names the field and the reason. */
export const invalid = (field: string, complaint: string, details: ErrorDetails = {}): ServiceError =>
  new ServiceError('validation_error', complaint, { details: { ...details, field } });

/** The same response for anything that does not exist, has expired, was deleted or belongs to another account. */
export const notFound = (cause?: unknown, hint = ''): ServiceError =>
  new ServiceError('not_found', `There is nothing at this address.${hint}`, { cause });

/** Anything that is not a ServiceError is a bug or an outage, and becomes `internal` with a fixed text. */
export function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError
    ? error
    : new ServiceError('internal', internalMessage, { cause: error });
}
