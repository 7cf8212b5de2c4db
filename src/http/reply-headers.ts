// The contract's response headers. Spec 8.
import type { BudgetStanding } from '#metering/request-budget.ts';
import type { QuotaState } from '#metering/quota.ts';

export function budgetHeaders({ limit, remaining, resetSeconds }: BudgetStanding): Record<string, number> {
  return {
    'x-service-ratelimit-limit': limit,
    'x-service-ratelimit-remaining': remaining,
    'x-service-ratelimit-reset': resetSeconds,
  };
}

/** On responses that consumed a unit. */
export function quotaHeaders(quota: QuotaState): Record<string, string | number> {
  return {
    'x-service-quota-limit': quota.limit,
    'x-service-quota-remaining': quota.remaining,
    'x-service-quota-usage-percent': quota.usagePercent,
    ...(quota.warning !== undefined && { 'x-service-quota-warning': quota.warning }),
    ...(quota.isOverage && { 'x-service-overage': 'true' }),
  };
}

/** A 402 has the limit, and 0 as what remains. Spec 7. */
export function spentQuotaHeaders(limit: number): Record<string, number> {
  return { 'x-service-quota-limit': limit, 'x-service-quota-remaining': 0 };
}
