// Queries on the leases of renders in progress.
import type { Kysely } from 'kysely';
import type { RenderLeaseRow, Schema } from '#storage/schema.ts';

export function createRenderLeasesTable(db: Kysely<Schema>) {
  return {
    /** Leases of the account that have not expired. Exact while the account's counter is locked. */
    async countLive(accountId: string, now: number): Promise<number> {
      const { live } = await db
        .selectFrom('render_leases')
        .select(({ fn }) => fn.countAll<number>().as('live'))
        .where('account_id', '=', accountId)
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow();
      return live;
    },
    async insert(row: RenderLeaseRow): Promise<void> {
      await db.insertInto('render_leases').values(row).execute();
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('render_leases').where('id', '=', id).execute();
    },
    async purgeExpired(now: number): Promise<void> {
      await db.deleteFrom('render_leases').where('expires_at', '<=', now).execute();
    },
  };
}
