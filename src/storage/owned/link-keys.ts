// One account's link keys.
import type { Kysely } from 'kysely';
import type { LinkKeyRow, Schema } from '#storage/schema.ts';

export function createOwnedLinkKeys(db: Kysely<Schema>, accountId: string) {
  const newestFirst = () =>
    db
      .selectFrom('link_keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at', 'desc')
      .orderBy('id');
  const mine = () => db.deleteFrom('link_keys').where('account_id', '=', accountId);

  return {
    list: (): Promise<LinkKeyRow[]> => newestFirst().execute(),
    newest: (): Promise<LinkKeyRow | undefined> => newestFirst().limit(1).executeTakeFirst(),
    async insert(row: LinkKeyRow): Promise<void> {
      await db.insertInto('link_keys').values(row).execute();
    },
    rename: (id: string, name: string): Promise<LinkKeyRow | undefined> =>
      db
        .updateTable('link_keys')
        .set({ name })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    remove: (id: string): Promise<LinkKeyRow | undefined> =>
      mine().where('id', '=', id).returningAll().executeTakeFirst(),
    async removeAll(): Promise<void> {
      await mine().execute();
    },
  };
}
