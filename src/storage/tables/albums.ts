// Queries on albums that need no owner: what their links lead to.
import { sql, type Kysely } from 'kysely';
import { isAhead, type PageOptions } from '#storage/owned/page.ts';
import type { AlbumRow, Schema, UploadRow } from '#storage/schema.ts';
import type { StoredTotals } from '#storage/tables/stored.ts';
import { hasViews } from '#storage/tables/uploads.ts';

/** Whether the owner is suspended decides whether something resolves. */
type WithOwner = { owner_suspended: number };
export type ResolvedAlbum = AlbumRow & WithOwner;
export type ResolvedUpload = UploadRow & WithOwner;

export function createAlbumsTable(db: Kysely<Schema>) {
  const live = (albumId: string, now: number) =>
    db
      .selectFrom('uploads')
      .where('album_id', '=', albumId)
      .where('deleted_at', 'is', null)
      .where(hasViews)
      .where(isAhead('expires_at', now));

  return {
    bySlug: (slug: string): Promise<ResolvedAlbum | undefined> =>
      db
        .selectFrom('albums')
        .innerJoin('accounts', 'accounts.id', 'account_id')
        .selectAll('albums')
        .select('accounts.suspended as owner_suspended')
        .where('slug', '=', slug)
        .executeTakeFirst(),
    /** Those that still resolve, in the order in which they were stored. */
    uploadsIn(albumId: string, { after, limit }: PageOptions, now: number): Promise<ResolvedUpload[]> {
      let query = live(albumId, now)
        .selectAll()
        .select(
          sql<number>`(select suspended from accounts where id = uploads.account_id)`.as('owner_suspended'),
        )
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit);
      if (after) query = query.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`);
      return query.execute();
    },
    /** The bytes are those of uploads that everybody may see. */
    totals: (albumId: string, now: number): Promise<StoredTotals> =>
      live(albumId, now)
        .select([
          sql<number>`count(*)`.as('files'),
          sql<number>`coalesce(sum(case when password_hash is null and views_left is null then size_bytes else 0 end), 0)`.as(
            'bytes',
          ),
        ])
        .executeTakeFirstOrThrow(),
    /** Deletes albums that have expired; their uploads stay. */
    async purgeExpired(now: number, limit: number): Promise<number> {
      const expired = db.selectFrom('albums').select('id').where('expires_at', '<=', now).limit(limit);
      const result = await db.deleteFrom('albums').where('id', 'in', expired).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
