// Queries on uploads.
import type { Kysely } from 'kysely';
import type { Schema, UploadRow } from '#storage/schema.ts';
import { insertRows } from '#storage/insert-rows.ts';
import { createStored, totals, type StoredTotals } from '#storage/tables/stored.ts';

export function createUploadsTable(db: Kysely<Schema>) {
  const { by, ...stored } = createStored(db, 'uploads');
  return {
    ...stored,
    /** False if a row was skipped because its slug is taken. */
    async insert(...rows: UploadRow[]): Promise<boolean> {
      const inserted = await insertRows(db, 'uploads', rows, 'on conflict (slug) do nothing');
      return inserted === rows.length;
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
