// Usage and plan: the month, use by day and key, overages.
import type { Clock } from '#core/clock.ts';
import { notFound } from '#core/errors.ts';
import type { Database } from '#storage/database.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { AccountRow } from '#storage/schema.ts';
import { dayOf } from '#storage/tables/usage.ts';
import type { Accounts } from '#accounts/accounts.ts';
import type { Plans } from '#accounts/plans.ts';
import { sendCsv } from '#http/dashboard/csv.ts';
import { asFieldError } from '#http/dashboard/field-error.ts';
import type { Handlers } from '#http/dashboard/serve.ts';
import { monthStanding } from '#http/dashboard/standing.ts';
import { isoTime } from '#http/dashboard/views.ts';

type Names = 'GET /usage' | 'GET /usage.csv' | 'PATCH /overages';

const usualDays = 30;

export interface UsagePageParts {
  clock: Clock;
  database: Database;
  plans: Plans;
  accounts: Accounts;
}

export function usageHandlers(parts: UsagePageParts): Pick<Handlers, Names> {
  const { clock, database, plans, accounts } = parts;

  async function namesOf(owned: Owned) {
    const rows = await owned.keys.list();
    return rows.map(({ id, name, display }) => ({ id, name, display }));
  }

  async function dailyOf(owned: Owned, fromDay: number) {
    const rows = await owned.usage.days(fromDay);
    return rows.map(({ day, unit, key_id, used, overage }) => ({
      day: isoDay(day),
      unit,
      key_id: key_id || null,
      used,
      overage,
    }));
  }

  async function view(owned: Owned, account: AccountRow, days: number) {
    const now = clock.now();
    const today = dayOf(now);
    const standing = await monthStanding(database, plans, account, now);
    return {
      ...standing,
      overages: {
        available: standing.plan.overages,
        enabled: standing.plan.overages && account.overages === 1,
        cap: account.overage_cap,
      },
      from: isoDay(today - days + 1),
      to: isoDay(today),
      daily: await dailyOf(owned, today - days + 1),
      keys: await namesOf(owned),
    };
  }

  return {
    'GET /usage': ({ owned, person, query }) => view(owned, person.account, query.days ?? usualDays),

    async 'GET /usage.csv'({ owned, query, reply }) {
      const today = dayOf(clock.now());
      const names = new Map((await namesOf(owned)).map(({ id, name }) => [id, name]));
      const daily = await dailyOf(owned, today - (query.days ?? usualDays) + 1);
      return sendCsv(
        reply,
        `tintype-usage-${isoDay(today)}.csv`,
        ['day', 'unit', 'key_id', 'key_name', 'used', 'overage'],
        daily.map(({ day, unit, key_id, used, overage }) => [
          day,
          unit,
          key_id,
          key_id === null ? 'dashboard' : (names.get(key_id) ?? null),
          used,
          overage,
        ]),
      );
    },

    async 'PATCH /overages'({ owned, body }) {
      const account = await asFieldError('enabled', () =>
        accounts.setOverages(owned.accountId, body.enabled, body.cap),
      );
      if (!account) throw notFound();
      return view(owned, account, usualDays);
    },
  };
}

const isoDay = (day: number): string => isoTime(day * 86_400_000).slice(0, 10);
