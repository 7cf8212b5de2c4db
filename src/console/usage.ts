// Usage and plan: the month, usage by day and key, overages.
import { invalid } from '#core/errors.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { AccountWithPlan } from '#storage/tables/accounts.ts';
import { dayOf } from '#storage/tables/usage.ts';
import { requestSteps } from '#metering/request-days.ts';
import { sendCsv } from '#console/csv.ts';
import { asFieldError, found } from '#console/errors.ts';
import type { UsageQuery } from '#console/schemas/keys.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { monthUsage } from '#api/month-usage.ts';
import { isoTime } from '#api/common-views.ts';

const defaultDays = 30;
const maxDays = 366;
/** For more days than this, each column of a chart is a week. */
const daysInColumns = 120;

export function usageHandlers({ clock, database, accounts, metering }: DashboardParts) {
  const { requestLog } = metering;

  async function namesOf(owned: Owned) {
    const rows = await owned.keys.list();
    return rows.map(({ id, name, display }) => ({ id, name, display }));
  }

  async function dailyOf(owned: Owned, { fromDay, toDay }: DayRange) {
    const rows = await owned.usage.days(fromDay, toDay);
    return rows.map(({ day, unit, key_id, used, overage }) => ({
      day: isoDay(day),
      unit,
      key_id: key_id || null,
      used,
      overage,
    }));
  }

  async function requestsOf(owned: Owned, range: DayRange) {
    await requestLog.flush();
    const rows = await owned.requests.days(range.fromDay, range.toDay);
    return requestSteps(rows, range).map(({ day, p50Ms, p95Ms, ...counts }) => ({
      ...counts,
      day: isoDay(day),
      p50_ms: p50Ms,
      p95_ms: p95Ms,
    }));
  }

  async function view(owned: Owned, account: AccountWithPlan, query: UsageQuery) {
    const now = clock.now();
    const range = rangeOf(query, dayOf(now));
    const usage = await monthUsage(database, account.id, accounts.plans.of(account), now);
    return {
      ...usage,
      overages: {
        available: usage.plan.overages,
        enabled: usage.plan.overages && account.overages === 1,
        cap: account.overage_cap,
      },
      from: isoDay(range.fromDay),
      to: isoDay(range.toDay),
      step_days: range.stepDays,
      daily: await dailyOf(owned, range),
      requests: await requestsOf(owned, range),
      keys: await namesOf(owned),
    };
  }

  return {
    'GET /usage': ({ owned, person, query }) => view(owned, person.account, query),

    async 'GET /usage.csv'({ owned, query, reply }) {
      const range = rangeOf(query, dayOf(clock.now()));
      const names = new Map((await namesOf(owned)).map(({ id, name }) => [id, name]));
      const daily = await dailyOf(owned, range);
      return sendCsv(
        reply,
        `tintype-usage-${isoDay(range.toDay)}.csv`,
        ['day', 'unit', 'key_id', 'key_name', 'used', 'overage'],
        daily.map((row) => ({
          ...row,
          key_name: row.key_id === null ? 'dashboard' : (names.get(row.key_id) ?? null),
        })),
      );
    },

    async 'PATCH /overages'({ owned, body }) {
      const account = await asFieldError('enabled', () =>
        accounts.accounts.setOverages(owned.accountId, body.enabled, body.cap),
      );
      return view(owned, found(account), {});
    },
  } satisfies Partial<Handlers>;
}

interface DayRange {
  fromDay: number;
  toDay: number;
  stepDays: number;
}

function rangeOf({ days = defaultDays, from, to }: UsageQuery, today: number): DayRange {
  const toDay = to === undefined ? today : Math.min(today, dayNumber('to', to));
  const fromDay = from === undefined ? toDay - days + 1 : dayNumber('from', from);
  if (fromDay > toDay) throw invalid('from', 'is after the last day');
  if (toDay - fromDay >= maxDays) throw invalid('from', `the range is longer than ${maxDays} days`);
  return { fromDay, toDay, stepDays: toDay - fromDay >= daysInColumns ? 7 : 1 };
}

function dayNumber(name: string, text: string): number {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at)) throw invalid(name, 'there is no such day');
  return dayOf(at);
}

const isoDay = (day: number): string => isoTime(day * 86_400_000).slice(0, 10);
