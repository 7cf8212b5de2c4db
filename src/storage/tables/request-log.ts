// Queries on the request log of all accounts: writing it and keeping it small.
import { sql, type Kysely } from 'kysely';
import type { RequestLogRow, Schema } from '#storage/schema.ts';

export type RequestLogTable = ReturnType<typeof createRequestLogTable>;

const rowsPerStatement = 100;

export function createRequestLogTable(db: Kysely<Schema>) {
  return {
    /** Rows of an account that went away meanwhile are left out. */
    async insert(rows: RequestLogRow[]): Promise<void> {
      const ids = [...new Set(rows.map((row) => row.account_id))];
      const accounts = await db.selectFrom('accounts').select('id').where('id', 'in', ids).execute();
      const known = new Set(accounts.map(({ id }) => id));
      const kept = rows.filter((row) => known.has(row.account_id));
      for (let start = 0; start < kept.length; start += rowsPerStatement) {
        await db
          .insertInto('request_log')
          .values(kept.slice(start, start + rowsPerStatement))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },
    /** Drops some of what is older; true when there may be more. */
    async purgeOlder(than: number, limit: number): Promise<boolean> {
      const result = await db
        .deleteFrom('request_log')
        .where('id', 'in', (old) =>
          old.selectFrom('request_log').select('id').where('created_at', '<', than).limit(limit),
        )
        .executeTakeFirst();
      return result.numDeletedRows === BigInt(limit);
    },
    /** Accounts that hold more rows than they may. */
    async crowded(rowsEach: number): Promise<string[]> {
      const rows = await db
        .selectFrom('request_log')
        .select('account_id')
        .groupBy('account_id')
        .having(sql<boolean>`count(*) > ${rowsEach}`)
        .execute();
      return rows.map(({ account_id }) => account_id);
    },
    /** Drops what is behind the newest so many rows of an account. */
    async trim(accountId: string, keep: number): Promise<void> {
      await db
        .deleteFrom('request_log')
        .where('account_id', '=', accountId)
        .where(
          'created_at',
          '<=',
          db
            .selectFrom('request_log')
            .select('created_at')
            .where('account_id', '=', accountId)
            .orderBy('created_at', 'desc')
            .limit(1)
            .offset(keep),
        )
        .execute();
    },
  };
}
