// The response headers, each described once. Spec 8.
export type Json = Record<string, unknown>;

const header = (type: 'integer' | 'string') => (description: string, example: number | string) => ({
  description,
  schema: { type },
  example,
});
const integer = header('integer');
const text = header('string');

export const headers: Record<string, ReturnType<typeof text>> = {
  'x-request-id': text(
    'Names this request; tell it to the operator when asking about a failure.',
    '4kXqW0cJ8hTzR2mLpVaN',
  ),
  'x-service-ratelimit-limit': integer("Requests allowed per minute on the account's plan.", 120),
  'x-service-ratelimit-remaining': integer('Requests left in the current one-minute window.', 119),
  'x-service-ratelimit-reset': integer('Seconds until the window rolls over and the budget refills.', 41),
  'x-service-quota-limit': integer('Monthly allowance for this unit type on the plan.', 2000),
  'x-service-quota-remaining': integer('Units left this month; floors at 0.', 1960),
  'x-service-quota-usage-percent': integer('Whole-number percentage of quota used this month.', 2),
  'x-service-quota-warning': integer(
    '80, 90 or 100; present only once usage has crossed that threshold.',
    80,
  ),
  'x-service-overage': text(
    '"true" when the unit just consumed was past quota and billed as an overage.',
    'true',
  ),
  'x-service-id': text('Capture id; on byte responses only.', 'a1B2c3D4e5F6g7H8i9J0'),
  'x-service-duration-ms': integer('Render duration in milliseconds; on byte responses only.', 412),
  'Idempotent-Replayed': text(
    '"true" when this is the stored answer of an earlier request with the same Idempotency-Key.',
    'true',
  ),
  'Server-Timing': text('Where the time of a render went, in milliseconds per step.', 'navigate;dur=210'),
  'Retry-After': integer('Seconds to wait before retrying.', 7),
  'WWW-Authenticate': text('The scheme that is accepted.', 'Bearer realm="Tintype"'),
  Allow: text('The methods that work here.', 'POST'),
};

/** Those of version 1, and those of version 2 only. */
export const headersOfBoth: typeof headers = {
  ...headers,
  'x-service-cache': text(
    'hit, miss or stale: whether this is an earlier result; on byte responses only.',
    'miss',
  ),
  'x-service-page-status': integer(
    'The HTTP status of the page; on byte responses of pages on the web only.',
    200,
  ),
  'x-service-warnings': integer('How many warnings the receipt has; on byte responses only.', 0),
  Age: integer('How many seconds old an earlier result is; only if it is one.', 30),
  ETag: text('Identifies the bytes.', '"9f86d081884c7d659a2feaa0c55ad015"'),
  'Cache-Control': text('What is left of the time for which the result is good.', 'public, max-age=86000'),
};

export const budgetHeaders = [
  'x-request-id',
  'x-service-ratelimit-limit',
  'x-service-ratelimit-remaining',
  'x-service-ratelimit-reset',
];
export const quotaHeaders = [
  'x-service-quota-limit',
  'x-service-quota-remaining',
  'x-service-quota-usage-percent',
  'x-service-quota-warning',
  'x-service-overage',
];

export const headerRefs = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
