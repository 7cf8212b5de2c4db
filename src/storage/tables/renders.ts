// Queries on renders.
import type { Kysely } from 'kysely';
import type { RenderRow, Schema } from '#storage/schema.ts';
import { totalsOf, type StoredTotals } from '#storage/tables/uploads.ts';

export type OwnedRender = RenderRow & { owner_suspended: number };

export function createRendersTable(db: Kysely<Schema>) {
  return {
    async insert(row: RenderRow): Promise<void> {
      await db.insertInto('renders').values(row).execute();
    },
    /** Deletes all but the newest `keep` failures of an account. */
    async trimFailures(accountId: string, keep: number): Promise<void> {
      const failures = () =>
        db
          .selectFrom('renders')
          .select('created_at')
          .where('account_id', '=', accountId)
          .where('failure', 'is not', null);
      await db
        .deleteFrom('renders')
        .where('account_id', '=', accountId)
        .where('failure', 'is not', null)
        .where('created_at', '<=', failures().orderBy('created_at', 'desc').limit(1).offset(keep))
        .execute();
    },
    byId: (id: string): Promise<OwnedRender | undefined> =>
      db
        .selectFrom('renders')
        .innerJoin('accounts', 'accounts.id', 'renders.account_id')
        .selectAll('renders')
        .select('accounts.suspended as owner_suspended')
        .where('renders.id', '=', id)
        .executeTakeFirst(),
    /** Ids of renders whose bytes, if any, may be deleted: deleted, expired, or older than the history. */
    async dead(now: number, historyBefore: number, limit: number): Promise<string[]> {
      const dead = () => db.selectFrom('renders').select('id');
      const rows = await dead()
        .where('deleted_at', 'is not', null)
        .unionAll(dead().where('expires_at', '<=', now).where('deleted_at', 'is', null))
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
    async retire(ids: string[], historyBefore: number): Promise<void> {
      await db
        .deleteFrom('renders')
        .where('id', 'in', ids)
        .where(({ eb, or }) =>
          or([eb('hosted', '=', 1), eb('deleted_at', 'is not', null), eb('created_at', '<', historyBefore)]),
        )
        .execute();
      await db.updateTable('renders').set({ expires_at: null }).where('id', 'in', ids).execute();
    },
    async purge(ids: string[]): Promise<void> {
      await db.deleteFrom('renders').where('id', 'in', ids).execute();
    },
    /** Totals of the renders stored under hosted URLs. */
    totals: (): Promise<StoredTotals> =>
      totalsOf(
        db
          .selectFrom('renders')
          .select(({ fn }) => [
            fn.countAll<number | string>().as('files'),
            fn.sum<number | string | null>('size_bytes').as('bytes'),
          ])
          .where('hosted', '=', 1)
          .executeTakeFirstOrThrow(),
      ),
    /** The given ids that have a row. */
    async existing(ids: string[]): Promise<Set<string>> {
      const rows = await db.selectFrom('renders').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}
