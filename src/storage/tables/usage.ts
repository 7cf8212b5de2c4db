// Queries on the counters and the ledger behind them. One guarded statement moves a counter, in the same transaction
// as the ledger row, so that the sum of the ledger equals the counter, always.
import { sql, type Kysely } from 'kysely';
import type { Schema, Unit, UsageEventRow } from '#storage/schema.ts';

export type UsageTable = ReturnType<typeof createUsageTable>;

export interface Allowance {
  accountId: string;
  unit: Unit;
  month: string;
  limit: number;
  mayOverrun: boolean;
}

export interface Usage {
  used: number;
  overage: number;
}

export function createUsageTable(db: Kysely<Schema>) {
  /** Takes one unit if the allowance has one left; undefined when it has not. */
  async function take({ accountId, unit, month, limit, mayOverrun }: Allowance): Promise<Usage | undefined> {
    const move = () =>
      db
        .updateTable('usage_counters')
        .set({
          used: sql`used + 1`,
          overage: sql`overage + case when used >= ${limit} then 1 else 0 end`,
        })
        .where('account_id', '=', accountId)
        .where('unit', '=', unit)
        .where('month', '=', month)
        .$if(!mayOverrun, (query) => query.where(sql<boolean>`used + reserved < ${limit}`))
        .returning(['used', 'overage'])
        .executeTakeFirst();
    const moved = await move();
    if (moved) return moved;
    const opened = await db
      .insertInto('usage_counters')
      .values({ account_id: accountId, unit, month, used: 0, reserved: 0, overage: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return opened.numInsertedOrUpdatedRows === 1n ? move() : undefined;
  }

  return {
    take,
    async record(event: UsageEventRow): Promise<void> {
      await db.insertInto('usage_events').values(event).execute();
    },
    async read(accountId: string, unit: Unit, month: string): Promise<Usage> {
      const row = await db
        .selectFrom('usage_counters')
        .select(['used', 'overage'])
        .where('account_id', '=', accountId)
        .where('unit', '=', unit)
        .where('month', '=', month)
        .executeTakeFirst();
      return row ?? { used: 0, overage: 0 };
    },
    /** What the ledger says, for the invariant that it equals the counter. */
    async sumOfLedger(accountId: string, unit: Unit, month: string): Promise<Usage> {
      const row = await db
        .selectFrom('usage_events')
        .select(({ fn }) => [
          fn.countAll<number | string>().as('used'),
          fn.sum<number | string | null>('overage').as('overage'),
        ])
        .where('account_id', '=', accountId)
        .where('unit', '=', unit)
        .where('month', '=', month)
        .executeTakeFirstOrThrow();
      return { used: Number(row.used), overage: Number(row.overage ?? 0) };
    },
  };
}
