// One account's uploads.
import { sql, type Kysely } from 'kysely';
import { contains, isAhead, type Cursor, type PageOptions } from '#storage/owned/page.ts';
import type { Schema, UploadRow } from '#storage/schema.ts';
import { createOwnedStored, totals, type StoredTotals } from '#storage/tables/stored.ts';

export interface UploadFilter {
  search?: string | undefined;
  contentType?: string | undefined;
  /** `before` is a time by which it will have expired. */
  expiry?: 'never' | 'some' | { before: number } | undefined;
}

export const uploadOrders = ['newest', 'oldest', 'largest', 'smallest', 'name'] as const;
export type UploadOrder = (typeof uploadOrders)[number];

const columnOf = {
  newest: ['created_at', 'desc'],
  oldest: ['created_at', 'asc'],
  largest: ['size_bytes', 'desc'],
  smallest: ['size_bytes', 'asc'],
  name: ['filename', 'asc'],
} as const;

/** Sizes and names have no index, so at most this many of the newest rows are read to sort or sum them, in tens of milliseconds. */
const maxRead = 20_000;

/** The condition for the rows after the last one shown, for any sort order. */
function isBehind(order: UploadOrder, { createdAt, id }: Cursor) {
  const [column, direction] = columnOf[order];
  const name = sql.ref(column);
  const last =
    column === 'created_at' ? sql`${createdAt}` : sql`(select ${name} from uploads where id = ${id})`;
  return sql<boolean>`(${name}, id) ${sql.raw(direction === 'asc' ? '>' : '<')} (${last}, ${id})`;
}

export function createOwnedUploads(db: Kysely<Schema>, accountId: string) {
  const unexpired = (now: number) =>
    db
      .selectFrom('uploads')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(isAhead('expires_at', now));
  const live = (now: number) => unexpired(now).where('deleted_at', 'is', null);
  /** Changes deleted uploads that can still be restored. */
  const changeDeleted = (ids: string[], now: number) =>
    db
      .updateTable('uploads')
      .where('account_id', '=', accountId)
      .where('id', 'in', ids)
      .where('deleted_at', '>', now)
      .returning('id');

  function fitting({ search, contentType, expiry }: UploadFilter, now: number) {
    let query = live(now);
    if (search !== undefined) query = query.where(contains('filename', search));
    if (contentType !== undefined) query = query.where('content_type', '=', contentType);
    if (expiry === 'never') query = query.where('expires_at', 'is', null);
    else if (expiry === 'some') query = query.where('expires_at', 'is not', null);
    else if (expiry) query = query.where('expires_at', '<=', expiry.before);
    return query;
  }
  const newest = (filter: UploadFilter, now: number) =>
    fitting(filter, now).orderBy('created_at', 'desc').limit(maxRead);

  return {
    /** Deleted uploads that can be restored until `deleted_at`; the latest deletion first. */
    restorable: (now: number, limit: number): Promise<UploadRow[]> =>
      unexpired(now)
        .where('deleted_at', '>', now)
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Undoes the deletion. Returns the ids for which it was not too late. */
    async restore(ids: string[], now: number): Promise<string[]> {
      const rows = await changeDeleted(ids, now)
        .set({ deleted_at: null })
        .where(isAhead('expires_at', now))
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Makes deletions final at once. */
    async purgeNow(ids: string[], now: number): Promise<string[]> {
      const rows = await changeDeleted(ids, now).set({ deleted_at: now }).execute();
      return rows.map(({ id }) => id);
    },
    page(
      filter: UploadFilter,
      { after, limit }: PageOptions,
      now: number,
      order: UploadOrder = 'newest',
    ): Promise<UploadRow[]> {
      const [column, direction] = columnOf[order];
      const source =
        column === 'created_at'
          ? fitting(filter, now)
          : db.selectFrom(newest(filter, now).as('uploads')).selectAll();
      let query = source.orderBy(column, direction).orderBy('id', direction).limit(limit);
      if (after) query = query.where(isBehind(order, after));
      return query.execute();
    },
    async totals(filter: UploadFilter, now: number): Promise<StoredTotals & { isMore: boolean }> {
      const rows = newest(filter, now).as('uploads');
      const { files, bytes } = await db.selectFrom(rows).select(totals).executeTakeFirstOrThrow();
      return { files, bytes, isMore: files === maxRead };
    },
    /** The given uploads that still resolve. */
    byIds: (ids: string[], now: number): Promise<UploadRow[]> =>
      live(now).where('id', 'in', ids).orderBy('created_at', 'desc').execute(),
    byId: (id: string, now: number): Promise<UploadRow | undefined> =>
      live(now).where('id', '=', id).executeTakeFirst(),
    setExpiry: (id: string, expiresAt: number | null): Promise<UploadRow | undefined> =>
      db
        .updateTable('uploads')
        .set({ expires_at: expiresAt })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst(),
    ...createOwnedStored(db, 'uploads', accountId),
  };
}
