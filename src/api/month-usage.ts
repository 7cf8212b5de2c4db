// The account's usage this month, shown on the overview and the usage page.
import type { Database } from '#storage/database.ts';
import type { Unit } from '#storage/schema.ts';
import type { Plan } from '#accounts/plans.ts';
import { limitOf, monthOf, nextMonth, quotaState } from '#metering/quota.ts';

export type UnitUsage = Awaited<ReturnType<typeof monthUsage>>['units']['upload'];

export async function monthUsage(database: Database, accountId: string, plan: Plan, now: number) {
  const month = monthOf(now);

  async function ofUnit(unit: Unit) {
    const usage = await database.tables.usage.read({ accountId, unit, month });
    const { limit, remaining, usagePercent, warning } = quotaState(usage, limitOf({ plan }, unit));
    return {
      used: usage.used,
      limit,
      remaining,
      percent: usagePercent,
      /** 80, 90 or 100 once usage has crossed it. */
      warning: warning ?? null,
      overage: usage.overage,
    };
  }

  return {
    plan,
    /** Such as 2026-11, UTC. */
    month,
    resets_at: nextMonth(now).toISOString(),
    units: { upload: await ofUnit('upload'), render: await ofUnit('render') },
  };
}
