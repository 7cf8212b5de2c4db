// What the headers of a response say. Spec 8.
export interface RateLimit {
  /** Requests allowed per minute on the account's plan. */
  limit: number;
  /** Requests left in the current one-minute window. */
  remaining: number;
  /** Seconds until the window rolls over and the budget refills. */
  resetSeconds: number;
}

export interface Quota {
  /** Monthly allowance for this unit type on the plan. */
  limit: number;
  /** Units left this month. */
  remaining: number;
  /** Whole-number percentage of quota used this month. */
  usagePercent: number | undefined;
  /** 80, 90 or 100, once usage has crossed that threshold. */
  warning: number | undefined;
  /** Whether the unit just consumed was past quota and billed as an overage. */
  isOverage: boolean;
}

export interface Meta {
  requestId: string | undefined;
  rateLimit: RateLimit | undefined;
  /** Present on metered responses and on quota_exceeded. */
  quota: Quota | undefined;
  /** True if the service had already handled this request and repeated its first response. */
  isReplay: boolean;
  /** How many times the request was sent. */
  attempts: number;
}

export function readMeta(headers: Headers, attempts: number): Meta {
  const number = (name: string): number | undefined => {
    const value = headers.get(name);
    return value === null || !/^\d+$/.test(value) ? undefined : Number(value);
  };
  const budget = number('x-service-ratelimit-limit');
  const allowance = number('x-service-quota-limit');
  return {
    requestId: headers.get('x-request-id') ?? undefined,
    rateLimit:
      budget === undefined
        ? undefined
        : {
            limit: budget,
            remaining: number('x-service-ratelimit-remaining') ?? 0,
            resetSeconds: number('x-service-ratelimit-reset') ?? 0,
          },
    quota:
      allowance === undefined
        ? undefined
        : {
            limit: allowance,
            remaining: number('x-service-quota-remaining') ?? 0,
            usagePercent: number('x-service-quota-usage-percent'),
            warning: number('x-service-quota-warning'),
            isOverage: headers.get('x-service-overage') === 'true',
          },
    isReplay: headers.get('idempotent-replayed') === 'true',
    attempts,
  };
}
