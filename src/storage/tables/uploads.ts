// Queries on uploads.
import { sql, type Kysely } from 'kysely';
import type { Schema, UploadRow } from '#storage/schema.ts';
import { insertRows } from '#storage/insert-rows.ts';

/** An upload and whether its owner is suspended, which decides whether it resolves. */
export type OwnedUpload = UploadRow & { owner_suspended: number };

const uploadColumns = [
  'id',
  'slug',
  'account_id',
  'key_id',
  'filename',
  'content_type',
  'size_bytes',
  'width',
  'height',
  'sha256',
  'delete_token_hash',
  'created_at',
  'expires_at',
  'deleted_at',
] as const satisfies (keyof UploadRow)[];

export function createUploadsTable(db: Kysely<Schema>) {
  const owned = () =>
    db
      .selectFrom('uploads')
      .innerJoin('accounts', 'accounts.id', 'uploads.account_id')
      .selectAll('uploads')
      .select('accounts.suspended as owner_suspended');

  return {
    /** False if a row was skipped because its slug is taken. */
    async insert(...rows: UploadRow[]): Promise<boolean> {
      const inserted = await insertRows(db, 'uploads', uploadColumns, rows, 'on conflict (slug) do nothing');
      return inserted === rows.length;
    },
    async bySlug(slug: string): Promise<OwnedUpload | undefined> {
      const { rows } = await sql<OwnedUpload>`
        select uploads.*, accounts.suspended as owner_suspended
        from uploads inner join accounts on accounts.id = uploads.account_id where uploads.slug = ${slug}`.execute(
        db,
      );
      return rows[0];
    },
    byId: (id: string): Promise<OwnedUpload | undefined> =>
      owned().where('uploads.id', '=', id).executeTakeFirst(),
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
    async purge(ids: string[]): Promise<void> {
      await db.deleteFrom('uploads').where('id', 'in', ids).execute();
    },
    totals: (): Promise<StoredTotals> =>
      totalsOf(
        db
          .selectFrom('uploads')
          .select(({ fn }) => [
            fn.countAll<number | string>().as('files'),
            fn.sum<number | string | null>('size_bytes').as('bytes'),
          ])
          .executeTakeFirstOrThrow(),
      ),
    /** The given ids that have a row. */
    async existing(ids: string[]): Promise<Set<string>> {
      const rows = await db.selectFrom('uploads').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}

export interface StoredTotals {
  files: number;
  bytes: number;
}

export async function totalsOf(
  row: Promise<{ files: number | string; bytes: number | string | null }>,
): Promise<StoredTotals> {
  const { files, bytes } = await row;
  return { files: Number(files), bytes: Number(bytes ?? 0) };
}
