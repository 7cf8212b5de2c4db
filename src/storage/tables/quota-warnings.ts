// Queries on quota warnings: written in the transaction of the unit that reaches a threshold, mailed later.
import type { Kysely } from 'kysely';
import type { QuotaWarningRow, Schema } from '#storage/schema.ts';

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
    /** False if this threshold was reached before in the month, for example before a change of plan. */
    async insert(row: QuotaWarningRow): Promise<boolean> {
      const result = await db
        .insertInto('quota_warnings')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return result.numInsertedOrUpdatedRows === 1n;
    },
    /** Unsent warnings, the oldest first, with the e-mail address of the account. */
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
    /** Releases the claim after a failed attempt to send. */
    async release(row: QuotaWarningRow): Promise<void> {
      await one(row).set({ sent_at: null }).execute();
    },
    /** Deletes warnings of earlier months, which no longer matter. */
    async purgeBefore(month: string): Promise<void> {
      await db.deleteFrom('quota_warnings').where('month', '<', month).execute();
    },
  };
}
