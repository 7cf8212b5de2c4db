// Queries that one account's uploads and renders share: soft deletion, and listing all ids.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export function createStored(db: Kysely<Schema>, table: 'uploads' | 'renders', accountId: string) {
  const idsOf = async (query: RawBuilder<{ id: string }>): Promise<string[]> =>
    (await query.execute(db)).rows.map(({ id }) => id);

  return {
    /** Marks rows as deleted; their bytes may be deleted from `at` on. Returns the ids that were not deleted before. */
    markDeleted: (ids: string[], at: number): Promise<string[]> =>
      idsOf(sql`
        update ${sql.table(table)} set deleted_at = ${at}
        where account_id = ${accountId} and id in (${sql.join(ids)}) and deleted_at is null returning id
      `),
    /** Every row, deleted ones included, for the deletion of the account. */
    ids: (limit: number): Promise<string[]> =>
      idsOf(sql`select id from ${sql.table(table)} where account_id = ${accountId} limit ${limit}`),
  };
}
