// The monthly quota: takes units and reports what is left. Spec 1, 8.
import { ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Tables } from '#storage/database.ts';
import type { Unit } from '#storage/schema.ts';
import { dayOf, type CounterKey, type Usage } from '#storage/tables/usage.ts';
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

export interface Consumed {
  /** The state of the quota after each unit taken. */
  states: QuotaState[];
  /** Why not all units were taken. */
  refusal?: QuotaExceededError;
}

/** Takes a unit for each source, in order, until the quota is used up. */
export async function consumeUnits(
  tables: Tables,
  payer: Caller,
  unit: Unit,
  sourceIds: string[],
  now: number,
  { isReserved = false } = {},
): Promise<Consumed> {
  const { accountId, keyId } = payer;
  const limit = limitOf(payer, unit);
  const counter = { accountId, unit, month: monthOf(now) };
  const below = isReserved ? Infinity : ceilingOf(payer, unit);
  let wanted = sourceIds.length;
  if (!isReserved && keyLimitOf(payer, unit) !== undefined) {
    await tables.usage.lock(counter);
    wanted = Math.min(wanted, Math.max(0, await leftOfKey(tables, payer, unit, now)));
  }
  const { taken, used } = await takeUnits(tables, counter, limit, below, wanted);
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
  if (taken < wanted) return { states, refusal: quotaSpent(payer, unit) };
  return taken < sourceIds.length ? { states, refusal: keyQuotaSpent(payer, unit) } : { states };
}

/** What the key may still use this month; Infinity if it has no quota of its own. Exact while the account's counter is locked. */
export async function leftOfKey({ usage }: Tables, payer: Caller, unit: Unit, now: number): Promise<number> {
  const limit = keyLimitOf(payer, unit);
  const { accountId, keyId } = payer;
  if (limit === undefined || keyId === null) return Infinity;
  return limit - (await usage.ofKeySince({ accountId, unit, keyId }, firstDayOfMonth(now)));
}

/** Looks up whether there is nothing left, before a request costs work. */
export async function findSpentQuota(
  tables: Tables,
  payer: Caller,
  unit: Unit,
  now: number,
): Promise<QuotaExceededError | undefined> {
  const { accountId } = payer;
  const ceiling = ceilingOf(payer, unit);
  if (Number.isFinite(ceiling)) {
    const { used } = await tables.usage.read({ accountId, unit, month: monthOf(now) });
    if (used >= ceiling) return quotaSpent(payer, unit);
  }
  return (await leftOfKey(tables, payer, unit, now)) > 0 ? undefined : keyQuotaSpent(payer, unit);
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

const keyLimitOf = ({ keyQuota }: Pick<Caller, 'keyQuota'>, unit: Unit): number | undefined =>
  keyQuota?.[unit];

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

/** In days since the epoch. */
export const firstDayOfMonth = (now: number): number => dayOf(Date.parse(`${monthOf(now)}-01`));

/** The quota's month is the calendar month, UTC. */
export const monthOf = (now: number): string => new Date(now).toISOString().slice(0, 7);

function remedyOf({ plan, mayOverrun }: Caller): string {
  if (mayOverrun) return 'a higher cap of overages or a larger plan lifts it';
  return plan.overages
    ? 'overages, which the plan offers, or a larger plan lift it'
    : 'a larger plan lifts it';
}

/** How much a request needs, and what is left for it. */
interface Shortage {
  wanted: number;
  left: number;
}

export function quotaSpent(payer: Caller, unit: Unit, shortage?: Shortage): QuotaExceededError {
  const limit = limitOf(payer, unit);
  const problem = problemOf('the monthly quota', limit, unit, shortage);
  return new QuotaExceededError(limit, `${problem}; ${remedyOf(payer)} now.`);
}

export function keyQuotaSpent(payer: Caller, unit: Unit, shortage?: Shortage): QuotaExceededError {
  const limit = keyLimitOf(payer, unit) ?? 0;
  const problem = problemOf("this API key's own monthly quota", limit, unit, shortage);
  return new QuotaExceededError(limit, `${problem}; its owner can raise it in the dashboard.`, true);
}

function problemOf(
  quota: string,
  limit: number,
  unit: Unit,
  { wanted, left }: Shortage = { wanted: 1, left: 0 },
): string {
  const problem =
    left > 0
      ? `This request needs ${wanted} ${unit} units, and ${left} of ${quota} of ${limit} ${left === 1 ? 'is' : 'are'} left.`
      : `${quota.charAt(0).toUpperCase()}${quota.slice(1)} of ${limit} ${unit} units is used up.`;
  return `${problem} It resets with the next calendar month (UTC)`;
}

/** Carries the limit that the response headers name. */
export class QuotaExceededError extends ServiceError {
  readonly limit: number;
  /** Then other keys of the account may have units left. */
  readonly isOfKey: boolean;

  constructor(limit: number, message: string, isOfKey = false) {
    super('quota_exceeded', message);
    this.limit = limit;
    this.isOfKey = isOfKey;
  }
}
