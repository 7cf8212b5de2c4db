// Queries on the audit log.
import type { Kysely } from 'kysely';
import { newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { AuditLogRow, Schema } from '#storage/schema.ts';

export function createAuditLogTable(db: Kysely<Schema>) {
  return {
    async insert(row: AuditLogRow): Promise<void> {
      await db.insertInto('audit_log').values(row).execute();
    },
    page: (page: PageOptions): Promise<AuditLogRow[]> =>
      db.selectFrom('audit_log').selectAll().$call(newestFirst(page)).execute(),
    /** Deletes all but the newest acts of an actor whose names begin with this. */
    async trim(actorId: string, prefix: string, keep: number): Promise<void> {
      const theirs = db
        .selectFrom('audit_log')
        .select('id')
        .where('actor_id', '=', actorId)
        .where('action', 'like', `${prefix}%`);
      const newest = theirs.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(keep);
      await db.deleteFrom('audit_log').where('id', 'in', theirs).where('id', 'not in', newest).execute();
    },
    /** Keeps the entries but removes the deleted account from them. */
    async forgetTarget(accountId: string): Promise<void> {
      await db
        .updateTable('audit_log')
        .set({ target_id: null, target_email: null })
        .where('target_id', '=', accountId)
        .execute();
    },
  };
}
