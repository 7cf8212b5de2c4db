// Queries on upload links that need no owner: the token is the authority.
import { sql, type Kysely } from 'kysely';
import type { Schema, UploadLinkRow } from '#storage/schema.ts';
import { holderColumns, type Holder } from '#storage/tables/holder.ts';
import { storedPlan } from '#storage/tables/plans.ts';

/** A link and the permissions of its account, in one look-up. */
export type LinkHolder = UploadLinkRow & Holder;

export function createUploadLinksTable(db: Kysely<Schema>) {
  return {
    async byTokenHash(tokenHash: string): Promise<LinkHolder | undefined> {
      const { rows } = await sql<LinkHolder>`
        select upload_links.*, ${holderColumns}, ${storedPlan} as stored_plan
        from upload_links join accounts on accounts.id = account_id
        where token_hash = ${tokenHash}`.execute(db);
      return rows[0];
    },
    /** Counts a file. False if the link has had all of its files, has expired or was deleted. */
    async take(id: string, sizeBytes: number, now: number): Promise<boolean> {
      const result = await db
        .updateTable('upload_links')
        .set({ used_files: sql`used_files + 1`, used_bytes: sql`used_bytes + ${sizeBytes}` })
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .where(sql<boolean>`used_files < max_files`)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    async purgeExpired(now: number, limit: number): Promise<number> {
      const expired = db.selectFrom('upload_links').select('id').where('expires_at', '<=', now).limit(limit);
      const result = await db.deleteFrom('upload_links').where('id', 'in', expired).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
