// Queries on the request log of all accounts: insert and clean up.
import { sql, type Kysely } from 'kysely';
import type { RequestLogRow, Schema } from '#storage/schema.ts';
import { insertRows } from '#storage/insert-rows.ts';

const rowsPerStatement = 100;

export function createRequestLogTable(db: Kysely<Schema>) {
  return {
    /** Skips rows of accounts that were deleted in the meantime; returns the others. */
    async insert(rows: RequestLogRow[]): Promise<RequestLogRow[]> {
      const ids = [...new Set(rows.map((row) => row.account_id))];
      const accounts = await db.selectFrom('accounts').select('id').where('id', 'in', ids).execute();
      const known = new Set(accounts.map(({ id }) => id));
      const kept = rows.filter((row) => known.has(row.account_id));
      for (let start = 0; start < kept.length; start += rowsPerStatement) {
        const some = kept.slice(start, start + rowsPerStatement);
        await insertRows(db, 'request_log', some, 'on conflict do nothing');
      }
      return kept;
    },
    /** Deletes up to `limit` older rows; true if there may be more. */
    async purgeOlder(than: number, limit: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        delete from request_log where (account_id, created_at, id) in
          (select account_id, created_at, id from request_log where created_at < ${than} limit ${limit})`.execute(
        db,
      );
      return numAffectedRows === BigInt(limit);
    },
    /** Accounts with more than `rowsEach` rows. */
    async crowded(rowsEach: number): Promise<string[]> {
      const rows = await db
        .selectFrom('request_log')
        .select('account_id')
        .groupBy('account_id')
        .having(sql<boolean>`count(*) > ${rowsEach}`)
        .execute();
      return rows.map(({ account_id }) => account_id);
    },
    /** Deletes all but the newest `keep` rows of an account. */
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
