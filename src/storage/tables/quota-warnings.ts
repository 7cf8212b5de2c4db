// Warnings about a month's quota: written in the transaction of the unit that reaches a share of it, mailed later.
import type { Kysely } from 'kysely';
import type { QuotaWarningRow, Schema } from '#storage/schema.ts';

export type QuotaWarningsTable = ReturnType<typeof createQuotaWarningsTable>;

export type WaitingWarning = QuotaWarningRow & { email: string };

export function createQuotaWarningsTable(db: Kysely<Schema>) {
  const one = ({ account_id, month, unit, percent }: QuotaWarningRow) =>
    db
      .updateTable('quota_warnings')
      .where('account_id', '=', account_id)
      .where('month', '=', month)
      .where('unit', '=', unit)
      .where('percent', '=', percent);

  return {
    /** Does nothing where this share was reached before in the month, as after a change of plans. */
    async insert(row: QuotaWarningRow): Promise<void> {
      await db
        .insertInto('quota_warnings')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    /** The oldest first, with the address of the account. */
    waiting: (limit: number): Promise<WaitingWarning[]> =>
      db
        .selectFrom('quota_warnings')
        .innerJoin('accounts', 'accounts.id', 'quota_warnings.account_id')
        .selectAll('quota_warnings')
        .select('accounts.email')
        .where('sent_at', 'is', null)
        .orderBy('quota_warnings.created_at')
        .limit(limit)
        .execute(),
    /** True for the one process that may send it. */
    async claim(row: QuotaWarningRow, now: number): Promise<boolean> {
      const result = await one(row).set({ sent_at: now }).where('sent_at', 'is', null).executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    /** Gives a claim back: it could not be sent. */
    async release(row: QuotaWarningRow): Promise<void> {
      await one(row).set({ sent_at: null }).execute();
    },
    /** Warnings of earlier months are of no use to anyone. */
    async purgeBefore(month: string): Promise<void> {
      await db.deleteFrom('quota_warnings').where('month', '<', month).execute();
    },
  };
}
