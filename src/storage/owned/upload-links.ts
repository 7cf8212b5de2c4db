// One account's upload links.
import { sql, type Kysely } from 'kysely';
import { isAhead, newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { Schema, UploadLinkRow } from '#storage/schema.ts';

export function createOwnedUploadLinks(db: Kysely<Schema>, accountId: string) {
  const live = (now: number) =>
    db
      .selectFrom('upload_links')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(isAhead('expires_at', now));
  return {
    /** Newest first. */
    page: (page: PageOptions, now: number): Promise<UploadLinkRow[]> =>
      live(now).$call(newestFirst(page)).execute(),
    byId: (id: string, now: number): Promise<UploadLinkRow | undefined> =>
      live(now).where('id', '=', id).executeTakeFirst(),
    async count(now: number): Promise<number> {
      const { links } = await db
        .selectFrom(live(now).as('links'))
        .select(sql<number>`count(*)`.as('links'))
        .executeTakeFirstOrThrow();
      return links;
    },
    async insert(row: UploadLinkRow): Promise<void> {
      await db
        .insertInto('upload_links')
        .values({ ...row, account_id: accountId })
        .execute();
    },
    async remove(id: string, now: number): Promise<boolean> {
      const result = await db
        .deleteFrom('upload_links')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return result.numDeletedRows === 1n;
    },
    async removeAll(): Promise<void> {
      await db.deleteFrom('upload_links').where('account_id', '=', accountId).execute();
    },
  };
}
