// One account's uploads.
import { sql, type Kysely } from 'kysely';
import { contains, isAhead, isWithin, type Cursor, type PageOptions } from '#storage/owned/page.ts';
import type { Schema, UploadRow } from '#storage/schema.ts';
import {
  createOwnedStored,
  maxRead,
  totals,
  type StoredTotals,
  type TimeFilter,
} from '#storage/tables/stored.ts';

export interface UploadFilter extends TimeFilter {
  /** A part of the filename or the title. */
  search?: string | undefined;
  tag?: string | undefined;
  albumId?: string | undefined;
  contentType?: string | undefined;
  /** `before` is a time by which it will have expired. */
  expiry?: 'never' | 'some' | { before: number } | undefined;
  /** The hash of what is stored, in lower case. */
  sha256?: string | undefined;
}

/** What can be changed of an upload; at least one of them. */
export interface ChangedUpload extends Partial<
  Pick<UploadRow, 'filename' | 'title' | 'tags' | 'album_id' | 'expires_at' | 'password_hash'>
> {
  /** With the views that it has had; null for no limit. */
  max_views?: number | null;
}

/** In the statement itself, so that a view that is taken at the same time is counted. */
const viewsLeft = (max: number | null) =>
  max === null ? null : sql<number>`case when ${max} > views then ${max} - views else 0 end`;

export const uploadOrders = ['newest', 'oldest', 'largest', 'smallest', 'name'] as const;
export type UploadOrder = (typeof uploadOrders)[number];

const columnOf = {
  newest: ['created_at', 'desc'],
  oldest: ['created_at', 'asc'],
  largest: ['size_bytes', 'desc'],
  smallest: ['size_bytes', 'asc'],
  name: ['filename', 'asc'],
} as const;

/** The condition for the rows after the last one shown, for any sort order. */
function isBehind(order: UploadOrder, { createdAt, id }: Cursor) {
  const [column, direction] = columnOf[order];
  const name = sql.ref(column);
  const last =
    column === 'created_at' ? sql`${createdAt}` : sql`(select ${name} from uploads where id = ${id})`;
  return sql<boolean>`(${name}, id) ${sql.raw(direction === 'asc' ? '>' : '<')} (${last}, ${id})`;
}

/** The uploads of the account, and those that fit a filter. */
function uploadsOf(db: Kysely<Schema>, accountId: string) {
  const unexpired = (now: number) =>
    db
      .selectFrom('uploads')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(isAhead('expires_at', now));
  const live = (now: number) => unexpired(now).where('deleted_at', 'is', null);
  const tagged = (tag: string) =>
    db
      .selectFrom('upload_tags')
      .select('upload_id')
      .where('account_id', '=', accountId)
      .where('tag', '=', tag);

  function fitting(filter: UploadFilter, now: number) {
    const { search, tag, albumId, contentType, expiry, sha256, before, since } = filter;
    let query = live(now);
    if (search !== undefined)
      query = query.where(({ or }) => or([contains('filename', search), contains('title', search)]));
    if (tag !== undefined) query = query.where('id', 'in', tagged(tag));
    if (albumId !== undefined) query = query.where('album_id', '=', albumId);
    if (contentType !== undefined) query = query.where('content_type', '=', contentType);
    if (sha256 !== undefined) query = query.where('sha256', '=', sha256);
    if (before !== undefined) query = query.where('created_at', '<', before);
    if (since !== undefined) query = query.where('created_at', '>', since);
    if (expiry === 'never') query = query.where('expires_at', 'is', null);
    else if (expiry === 'some') query = query.where('expires_at', 'is not', null);
    else if (expiry) query = query.where('expires_at', '<=', expiry.before);
    return query;
  }

  return { unexpired, live, fitting };
}

export function createOwnedUploads(db: Kysely<Schema>, accountId: string) {
  const { unexpired, live, fitting } = uploadsOf(db, accountId);
  const { lastToRead, ...stored } = createOwnedStored(db, 'uploads', accountId);

  /** Few uploads may fit, among all of the account. A hash has an index, and so has an album, which has at most a thousand. */
  const isSelective = ({ search, tag, albumId, contentType, expiry, sha256 }: UploadFilter): boolean =>
    albumId === undefined &&
    sha256 === undefined &&
    [search, tag, contentType, expiry].some((value) => value !== undefined);

  /** Those that fit of the newest, and the last row that was looked at if there are more. */
  async function newest(filter: UploadFilter, now: number) {
    const until = isSelective(filter) ? await lastToRead(filter) : undefined;
    const query = fitting(filter, now).orderBy('created_at', 'desc').limit(maxRead);
    return { rows: (until ? query.where(isWithin(until)) : query).as('uploads'), until };
  }

  return {
    /** Bounds a page of a list, the newest first, to the rows that are looked at for it. */
    bounded: async (filter: UploadFilter, page: PageOptions): Promise<PageOptions> =>
      isSelective(filter) ? { ...page, until: await lastToRead({ ...filter, after: page.after }) } : page,
    /** Deleted uploads that can be restored until `deleted_at`; the latest deletion first. */
    restorable: (now: number, limit: number): Promise<UploadRow[]> =>
      unexpired(now)
        .where('deleted_at', '>', now)
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** In another order than that of the index, of the newest. */
    async page(
      filter: UploadFilter,
      { after, limit, until }: PageOptions,
      now: number,
      order: UploadOrder = 'newest',
    ): Promise<UploadRow[]> {
      const [column, direction] = columnOf[order];
      const isOfAll = order === 'newest' || (order === 'oldest' && !isSelective(filter));
      const source = isOfAll
        ? fitting(filter, now)
        : db.selectFrom((await newest(filter, now)).rows).selectAll();
      let query = source.orderBy(column, direction).orderBy('id', direction).limit(limit);
      if (after) query = query.where(isBehind(order, after));
      if (until) query = query.where(isWithin(until));
      return query.execute();
    },
    async totals(filter: UploadFilter, now: number): Promise<StoredTotals & { isMore: boolean }> {
      const { rows, until } = await newest(filter, now);
      const { files, bytes } = await db.selectFrom(rows).select(totals).executeTakeFirstOrThrow();
      return { files, bytes, isMore: until !== undefined || files === maxRead };
    },
    /** The newest that fit, of as many as are read for their totals. */
    async idsOf(filter: UploadFilter, now: number): Promise<string[]> {
      const { rows } = await newest(filter, now);
      return (await db.selectFrom(rows).select('id').execute()).map(({ id }) => id);
    },
    /** The tags in use with the number of their uploads, the most used first; of the newest uploads. */
    tags: (now: number, limit: number): Promise<{ tag: string; uploads: number }[]> =>
      db
        .selectFrom('upload_tags')
        .select(['tag', sql<number>`count(*)`.as('uploads')])
        .where(
          'upload_id',
          'in',
          live(now).clearSelect().select('id').orderBy('created_at', 'desc').limit(maxRead),
        )
        .groupBy('tag')
        .orderBy('uploads', 'desc')
        .orderBy('tag')
        .limit(limit)
        .execute(),
    /** The given uploads that have neither expired nor been deleted. */
    byIds: (ids: string[], now: number): Promise<UploadRow[]> =>
      live(now).where('id', 'in', ids).orderBy('created_at', 'desc').execute(),
    byId: (id: string, now: number): Promise<UploadRow | undefined> =>
      live(now).where('id', '=', id).executeTakeFirst(),
    change: (id: string, { max_views: max, ...values }: ChangedUpload): Promise<UploadRow | undefined> =>
      db
        .updateTable('uploads')
        .set({ ...values, ...(max !== undefined && { views_left: viewsLeft(max) }) })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst(),
    /** Makes an upload found by these tags only. */
    async setTags(id: string, tags: string[]): Promise<void> {
      await db
        .deleteFrom('upload_tags')
        .where('account_id', '=', accountId)
        .where('upload_id', '=', id)
        .execute();
      if (tags.length === 0) return;
      const rows = tags.map((tag) => ({ account_id: accountId, tag, upload_id: id }));
      await db.insertInto('upload_tags').values(rows).execute();
    },
    ...stored,
  };
}
