// The monthly quota: what a unit costs, and what the caller is told about it. Spec 1, 8.
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Tables } from '#storage/database.ts';
import type { Unit } from '#storage/schema.ts';
import type { Usage } from '#storage/tables/usage.ts';
import type { Caller } from '#accounts/authenticate.ts';

export interface QuotaStanding {
  limit: number;
  remaining: number;
  usagePercent: number;
  /** The highest threshold that usage has crossed. */
  warning: number | undefined;
  /** The unit just consumed was past the quota. */
  isOverage: boolean;
}

/** Who pays: an API key's account, or an account signed in at the dashboard. */
export type Payer = Caller;

/** Takes one unit for `sourceId` inside the transaction that stores what it pays for; throws `quota_exceeded`. */
export async function consumeUnit(
  tables: Tables,
  payer: Payer,
  unit: Unit,
  sourceId: string,
  now: number,
  { isReserved = false } = {},
): Promise<QuotaStanding> {
  const limit = limitOf(payer, unit);
  const counter = { accountId: payer.accountId, unit, month: monthOf(now) };
  const usage = await tables.usage.take(counter, limit, isReserved ? Infinity : ceilingOf(payer, unit));
  if (!usage) throw quotaExceeded(unit, limit);
  const isOverage = usage.used > limit;
  await tables.usage.record({
    id: newId(),
    account_id: payer.accountId,
    key_id: payer.keyId,
    unit,
    month: counter.month,
    source_id: sourceId,
    overage: isOverage ? 1 : 0,
    created_at: now,
  });
  return quotaStanding(usage, limit, isOverage);
}

export function quotaStanding(
  { used }: Pick<Usage, 'used'>,
  limit: number,
  isOverage = false,
): QuotaStanding {
  const usagePercent = limit === 0 ? 100 : Math.floor((100 * used) / limit);
  return {
    limit,
    remaining: Math.max(0, limit - used),
    usagePercent,
    warning: limits.quotaWarningPercents.findLast((threshold) => usagePercent >= threshold),
    isOverage,
  };
}

export function limitOf({ plan }: Pick<Caller, 'plan'>, unit: Unit): number {
  return unit === 'upload' ? plan.uploads_per_month : plan.renders_per_month;
}

/** Units a month, overages included; Infinity where those have no cap. */
export function ceilingOf(payer: Payer, unit: Unit): number {
  const limit = limitOf(payer, unit);
  return payer.mayOverrun ? limit + (payer.overageCap ?? Infinity) : limit;
}

/** When the quota resets. */
export function nextMonth(now: number): Date {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

/** The quota's month is the calendar month, UTC. */
export const monthOf = (now: number): string => new Date(now).toISOString().slice(0, 7);

/** Carries what the answer's headers name. */
export class QuotaExceededError extends ServiceError {
  readonly unit: Unit;
  readonly limit: number;

  constructor(unit: Unit, limit: number) {
    super(
      'quota_exceeded',
      `The monthly quota of ${limit} ${unit} units is used up. It resets with the next calendar month (UTC); ` +
        'an upgrade or, where the plan offers them, overages lift it now.',
    );
    this.unit = unit;
    this.limit = limit;
  }
}

export const quotaExceeded = (unit: Unit, limit: number): QuotaExceededError =>
  new QuotaExceededError(unit, limit);
