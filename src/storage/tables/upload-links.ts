// Queries on upload links that need no owner: the token is the authority.
import { sql, type Kysely } from 'kysely';
import type { AccountRow, Schema, UploadLinkRow } from '#storage/schema.ts';
import { storedPlan, type WithStoredPlan } from '#storage/tables/plans.ts';

/** A link and the permissions of its account, in one look-up. */
export type LinkHolder = UploadLinkRow &
  Pick<
    AccountRow,
    'plan' | 'verified' | 'suspended' | 'overages' | 'overage_cap' | 'webhook_events' | 'allowed_hosts'
  > &
  WithStoredPlan;

export function createUploadLinksTable(db: Kysely<Schema>) {
  return {
    byTokenHash: (tokenHash: string): Promise<LinkHolder | undefined> =>
      db
        .selectFrom('upload_links')
        .innerJoin('accounts', 'accounts.id', 'account_id')
        .selectAll('upload_links')
        .select([
          'plan',
          'verified',
          'suspended',
          'overages',
          'overage_cap',
          'webhook_events',
          'allowed_hosts',
          storedPlan.as('stored_plan'),
        ])
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst(),
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
