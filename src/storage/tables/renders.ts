// Queries on renders.
import { sql, type Kysely } from 'kysely';
import { outputKeys } from '#core/ids.ts';
import type { RenderRow, Schema } from '#storage/schema.ts';
import { createStored, forgetVariants, totals, type StoredTotals } from '#storage/tables/stored.ts';
import { createVariantsTable } from '#storage/tables/variants.ts';

export function createRendersTable(db: Kysely<Schema>) {
  return {
    ...createStored(db, 'renders'),
    /** The keys of all outputs and their variants, by the id of their render. */
    async keysOf(ids: string[]): Promise<Map<string, string[]>> {
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom('renders').select(['id', 'outputs']).where('id', 'in', ids).execute();
      const variants = await createVariantsTable(db).keysOf(ids);
      return new Map(rows.map((row) => [row.id, [...outputKeys(row), ...(variants.get(row.id) ?? [])]]));
    },
    async insert(row: RenderRow): Promise<void> {
      await db.insertInto('renders').values(row).execute();
    },
    /** Deletes all but the last `keep` failures of an account: one that waited for long has been asked for before many others. */
    async trimFailures(accountId: string, keep: number): Promise<void> {
      const ended = sql`(coalesce(finished_at, created_at), id)`;
      await sql`
        delete from renders where account_id = ${accountId} and failure is not null and ${ended} <= (
          select coalesce(finished_at, created_at), id from renders where account_id = ${accountId} and failure is not null
          order by 1 desc, 2 desc limit 1 offset ${keep})`.execute(db);
    },
    /** Ids of renders whose bytes, if any, may be deleted: expired, deleted for too long to be restored, or older than the history. */
    async dead(now: number, historyBefore: number, limit: number): Promise<string[]> {
      const dead = () => db.selectFrom('renders').select('id');
      const rows = await dead()
        .where('deleted_at', '<=', now)
        .unionAll(dead().where('expires_at', '<=', now))
        .unionAll(
          dead()
            .where('created_at', '<', historyBefore)
            .where('hosted', '=', 0)
            .where('deleted_at', 'is', null),
        )
        .limit(limit)
        .execute();
      return [...new Set(rows.map(({ id }) => id))];
    },
    /** Called after the bytes are gone: a render kept only for a replay stays in the history, the other rows are deleted. */
    async retire(ids: string[], now: number, historyBefore: number): Promise<void> {
      await forgetVariants(db, ids);
      await db
        .deleteFrom('renders')
        .where('id', 'in', ids)
        .where(({ eb, or }) =>
          or([eb('hosted', '=', 1), eb('deleted_at', '<=', now), eb('created_at', '<', historyBefore)]),
        )
        .execute();
      await db.updateTable('renders').set({ expires_at: null }).where('id', 'in', ids).execute();
    },
    /** Totals of the renders stored under hosted URLs. */
    totals: (): Promise<StoredTotals> =>
      db.selectFrom('renders').select(totals).where('hosted', '=', 1).executeTakeFirstOrThrow(),
  };
}
