// The monthly quota: takes units and reports what is left. Spec 1, 8.
import { ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Tables } from '#storage/database.ts';
import type { Unit } from '#storage/schema.ts';
import type { CounterKey, Usage } from '#storage/tables/usage.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { recordEvents } from '#delivery/events.ts';

export interface QuotaState {
  limit: number;
  remaining: number;
  usagePercent: number;
  /** The highest threshold that usage has crossed. */
  warning: number | undefined;
  /** The unit just consumed was past the quota. */
  isOverage: boolean;
}

/** Takes a unit for each source, in order, until the quota is used up. Returns the state of the quota after each unit taken. */
export async function consumeUnits(
  tables: Tables,
  payer: Caller,
  unit: Unit,
  sourceIds: string[],
  now: number,
  { isReserved = false } = {},
): Promise<QuotaState[]> {
  const { accountId, keyId } = payer;
  const limit = limitOf(payer, unit);
  const counter = { accountId, unit, month: monthOf(now) };
  const below = isReserved ? Infinity : ceilingOf(payer, unit);
  const { taken, used } = await takeUnits(tables, counter, limit, below, sourceIds.length);
  const states = sourceIds.slice(0, taken).map((_, place) => {
    const usedThen = used - taken + place + 1;
    return quotaState({ used: usedThen }, limit, usedThen > limit);
  });
  await tables.usage.record(
    ...states.map(({ isOverage }, place) => ({
      account_id: accountId,
      key_id: keyId,
      unit,
      month: counter.month,
      source_id: sourceIds[place] ?? '',
      overage: isOverage ? (1 as const) : (0 as const),
      created_at: now,
    })),
  );
  await noteWarning(tables, payer, counter, { limit, used, before: used - taken, now });
  return states;
}

/** Records the highest threshold of the quota that these units reached; quota-warnings.ts mails it to the owner, webhooks report it. */
async function noteWarning(
  tables: Tables,
  payer: Caller,
  { accountId, unit, month }: CounterKey,
  { limit, used, before, now }: { limit: number; used: number; before: number; now: number },
): Promise<void> {
  const { warning } = quotaState({ used }, limit);
  if (used === before || warning === undefined || warning === quotaState({ used: before }, limit).warning)
    return;
  const isFirst = await tables.quotaWarnings.insert({
    account_id: accountId,
    month,
    unit,
    percent: warning,
    used,
    quota: limit,
    created_at: now,
    sent_at: null,
  });
  const report = { unit, percent: warning, used, limit, month, resets_at: nextMonth(now).toISOString() };
  if (isFirst) await recordEvents(tables, payer, 'quota.warning', [report], now);
}

/** Takes all units with one statement; if they do not all fit, as many as do. */
async function takeUnits(
  { usage }: Tables,
  counter: CounterKey,
  limit: number,
  below: number,
  wanted: number,
): Promise<{ taken: number; used: number }> {
  for (let taken = wanted; taken > 0; taken -= 1) {
    const after = await usage.take(counter, limit, below, taken);
    if (after) return { taken, used: after.used };
  }
  return { taken: 0, used: 0 };
}

export function quotaState({ used }: Pick<Usage, 'used'>, limit: number, isOverage = false): QuotaState {
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

/** Maximum units per month, overages included; Infinity if overages have no cap. */
export function ceilingOf(payer: Caller, unit: Unit): number {
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

function remedyOf({ plan, mayOverrun }: Caller): string {
  if (mayOverrun) return 'a higher cap of overages or a larger plan lifts it';
  return plan.overages
    ? 'overages, which the plan offers, or a larger plan lift it'
    : 'a larger plan lifts it';
}

/** Carries the unit and limit that the response headers name. */
export class QuotaExceededError extends ServiceError {
  readonly unit: Unit;
  readonly limit: number;

  constructor(payer: Caller, unit: Unit, { wanted, left } = { wanted: 1, left: 0 }) {
    const limit = limitOf(payer, unit);
    const problem =
      left > 0
        ? `This request needs ${wanted} ${unit} units, and ${left} of the monthly quota of ${limit} ${left === 1 ? 'is' : 'are'} left.`
        : `The monthly quota of ${limit} ${unit} units is used up.`;
    super(
      'quota_exceeded',
      `${problem} It resets with the next calendar month (UTC); ${remedyOf(payer)} now.`,
    );
    this.unit = unit;
    this.limit = limit;
  }
}
