// What one account's uploads and renders have in common: how they die, and how all of them are found.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export function createStored(db: Kysely<Schema>, table: 'uploads' | 'renders', accountId: string) {
  const idsOf = async (query: RawBuilder<{ id: string }>): Promise<string[]> =>
    (await query.execute(db)).rows.map(({ id }) => id);

  return {
    /** Those of the given ids that were alive and are not any more; their bytes may go at the given time. */
    markDeleted: (ids: string[], at: number): Promise<string[]> =>
      idsOf(sql`
        update ${sql.table(table)} set deleted_at = ${at}
        where account_id = ${accountId} and id in (${sql.join(ids)}) and deleted_at is null returning id
      `),
    /** Every row, the dead too: what goes when the account goes. */
    ids: (limit: number): Promise<string[]> =>
      idsOf(sql`select id from ${sql.table(table)} where account_id = ${accountId} limit ${limit}`),
  };
}
