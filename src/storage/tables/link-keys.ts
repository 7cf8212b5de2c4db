// Queries on the keys that sign links.
import { sql, type Kysely } from 'kysely';
import type { AccountRow, LinkKeyRow, Schema } from '#storage/schema.ts';
import { holderColumns, type Holder } from '#storage/tables/holder.ts';
import { storedPlan } from '#storage/tables/plans.ts';

/** A link key and the account that pays for its links, in one look-up. */
export type LinkKeyHolder = LinkKeyRow & Holder & Pick<AccountRow, 'deleted_at'>;

export function createLinkKeysTable(db: Kysely<Schema>) {
  return {
    /** Every request for a link asks this. */
    async holderOf(id: string): Promise<LinkKeyHolder | undefined> {
      const { rows } = await sql<LinkKeyHolder>`
        select link_keys.*, ${holderColumns}, deleted_at, ${storedPlan} as stored_plan
        from link_keys join accounts on accounts.id = account_id
        where link_keys.id = ${id}`.execute(db);
      return rows[0];
    },
    byId: (id: string): Promise<LinkKeyRow | undefined> =>
      db.selectFrom('link_keys').selectAll().where('id', '=', id).executeTakeFirst(),
  };
}
