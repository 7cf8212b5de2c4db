// One account's albums.
import { sql, type Kysely } from 'kysely';
import { isAhead, newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { AlbumRow, Schema } from '#storage/schema.ts';
import { hasViews } from '#storage/tables/uploads.ts';

/** An album with what its uploads say of it. */
export interface Album extends AlbumRow {
  /** How many of its uploads resolve. */
  uploads: number;
  /** The slug of the first of them that everybody may see. */
  cover_slug: string | null;
}

export type ChangedAlbum = Partial<Pick<AlbumRow, 'title' | 'description' | 'expires_at'>>;

export function createOwnedAlbums(db: Kysely<Schema>, accountId: string) {
  const live = (now: number) =>
    db.selectFrom('albums').selectAll().where('account_id', '=', accountId).where(isAhead('expires_at', now));

  /** With the count and the cover of each. */
  function described(albums: ReturnType<typeof live>, now: number) {
    const shown = sql`from uploads where album_id = albums.id and deleted_at is null and ${hasViews}
      and (uploads.expires_at is null or uploads.expires_at > ${now})`;
    return db
      .selectFrom(albums.as('albums'))
      .selectAll()
      .select([
        sql<number>`(select count(*) ${shown})`.as('uploads'),
        sql<
          string | null
        >`(select slug ${shown} and password_hash is null and views_left is null order by created_at, id limit 1)`.as(
          'cover_slug',
        ),
      ]);
  }

  return {
    /** Newest first. */
    page: (page: PageOptions, now: number): Promise<Album[]> =>
      described(live(now).$call(newestFirst(page)), now)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    byId: (id: string, now: number): Promise<Album | undefined> =>
      described(live(now).where('id', '=', id), now).executeTakeFirst(),
    async count(): Promise<number> {
      const { albums } = await db
        .selectFrom('albums')
        .select(sql<number>`count(*)`.as('albums'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      return albums;
    },
    /** False if the slug is taken. */
    async insert(row: AlbumRow): Promise<boolean> {
      const result = await db
        .insertInto('albums')
        .values({ ...row, account_id: accountId })
        .onConflict((conflict) => conflict.column('slug').doNothing())
        .executeTakeFirst();
      return result.numInsertedOrUpdatedRows === 1n;
    },
    async change(id: string, values: ChangedAlbum): Promise<void> {
      await db
        .updateTable('albums')
        .set(values)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
    },
    /** Its uploads stay, in no album; upload links into it end. */
    async remove(id: string, now: number): Promise<boolean> {
      const result = await db
        .deleteFrom('albums')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where(isAhead('expires_at', now))
        .executeTakeFirst();
      return result.numDeletedRows === 1n;
    },
    /** Keeps an album from being deleted until the transaction ends; others that hold it wait. False if there is none. */
    async hold(id: string, now: number): Promise<boolean> {
      const result = await db
        .updateTable('albums')
        .set({ title: sql`title` })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where(isAhead('expires_at', now))
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    /** The uploads in an album, deleted ones included as long as they can be restored. */
    async size(id: string): Promise<number> {
      const { uploads } = await db
        .selectFrom('uploads')
        .select(sql<number>`count(*)`.as('uploads'))
        .where('album_id', '=', id)
        .executeTakeFirstOrThrow();
      return uploads;
    },
  };
}
