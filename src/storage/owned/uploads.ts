// One account's uploads.
import type { Kysely } from 'kysely';
import { contains, olderThan, type PageOptions } from '#storage/owned/page.ts';
import { createStored } from '#storage/owned/stored.ts';
import type { Schema, UploadRow } from '#storage/schema.ts';

export interface UploadFilter {
  search?: string | undefined;
  contentType?: string | undefined;
  /** `before` is a time by which it will have expired. */
  expiry?: 'never' | 'some' | { before: number } | undefined;
}

export function createOwnedUploads(db: Kysely<Schema>, accountId: string) {
  const live = (now: number) =>
    db
      .selectFrom('uploads')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));

  return {
    /** Deleted uploads that can be restored until `deleted_at`; the latest deletion first. */
    restorable: (now: number, limit: number): Promise<UploadRow[]> =>
      db
        .selectFrom('uploads')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('deleted_at', '>', now)
        .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Undoes the deletion. Returns the ids for which it was not too late. */
    async restore(ids: string[], now: number): Promise<string[]> {
      const rows = await db
        .updateTable('uploads')
        .set({ deleted_at: null })
        .where('account_id', '=', accountId)
        .where('id', 'in', ids)
        .where('deleted_at', '>', now)
        .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Makes deletions final at once. */
    async purgeNow(ids: string[], now: number): Promise<string[]> {
      const rows = await db
        .updateTable('uploads')
        .set({ deleted_at: now })
        .where('account_id', '=', accountId)
        .where('id', 'in', ids)
        .where('deleted_at', '>', now)
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Newest first. */
    page({ search, contentType, expiry }: UploadFilter, { after, limit }: PageOptions, now: number) {
      let query = live(now).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit);
      if (after) query = query.where(olderThan(after));
      if (search !== undefined) query = query.where(contains('filename', search));
      if (contentType !== undefined) query = query.where('content_type', '=', contentType);
      if (expiry === 'never') query = query.where('expires_at', 'is', null);
      else if (expiry === 'some') query = query.where('expires_at', 'is not', null);
      else if (expiry) query = query.where('expires_at', '<=', expiry.before);
      return query.execute();
    },
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
    ...createStored(db, 'uploads', accountId),
  };
}
