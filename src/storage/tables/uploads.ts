// Queries on uploads.
import { sql, type Kysely } from 'kysely';
import type { Schema, UploadRow } from '#storage/schema.ts';
import { isAhead } from '#storage/owned/page.ts';
import { insertRows } from '#storage/insert-rows.ts';
import { createStored, totals, type StoredTotals } from '#storage/tables/stored.ts';
import { createVariantsTable } from '#storage/tables/variants.ts';

/** Visitors can still be shown it. */
export const hasViews = sql<boolean>`(views_left is null or views_left > 0)`;

export function createUploadsTable(db: Kysely<Schema>) {
  const { by, ...stored } = createStored(db, 'uploads');
  return {
    ...stored,
    /** False if a row was skipped because its slug is taken. */
    async insert(...rows: UploadRow[]): Promise<boolean> {
      const inserted = await insertRows(db, 'uploads', rows, 'on conflict (slug) do nothing');
      return inserted === rows.length;
    },
    /** The keys of the files and their variants, by the id of their upload. */
    async keysOf(ids: string[]): Promise<Map<string, string[]>> {
      const variants = await createVariantsTable(db).keysOf(ids);
      return new Map(ids.map((id) => [id, [id, ...(variants.get(id) ?? [])]]));
    },
    bySlug: (slug: string) => by('slug', slug),
    /** True for the one caller that deleted it. */
    async markDeleted(id: string, now: number): Promise<boolean> {
      const result = await db
        .updateTable('uploads')
        .set({ deleted_at: now })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    /** Counts a view; true if there was one to take. */
    async takeView(id: string, now: number): Promise<boolean> {
      const result = await db
        .updateTable('uploads')
        .set({ views: sql<number>`views + 1`, views_left: sql<number | null>`views_left - 1` })
        .where('id', '=', id)
        .where(hasViews)
        .where('deleted_at', 'is', null)
        .where(isAhead('expires_at', now))
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    /** Ids of uploads whose bytes may be deleted: expired, or deleted for too long to be restored. */
    async dead(now: number, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('uploads')
        .select('id')
        .where('deleted_at', '<=', now)
        .unionAll(
          db
            .selectFrom('uploads')
            .select('id')
            .where('expires_at', '<=', now)
            .where('deleted_at', 'is', null),
        )
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    totals: (): Promise<StoredTotals> => db.selectFrom('uploads').select(totals).executeTakeFirstOrThrow(),
  };
}
