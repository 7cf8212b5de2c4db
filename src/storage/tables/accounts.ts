// Queries on accounts.
import type { Kysely } from 'kysely';
import { contains, newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { AccountRow, Schema } from '#storage/schema.ts';
import { storedPlan, type WithStoredPlan } from '#storage/tables/plans.ts';

export type AccountWithPlan = AccountRow & WithStoredPlan;

export type AccountChange = Partial<Omit<AccountRow, 'id' | 'created_at'>>;

export function createAccountsTable(db: Kysely<Schema>) {
  const present = () => db.selectFrom('accounts').selectAll().where('deleted_at', 'is', null);

  return {
    /** False when the e-mail address is taken. */
    async insert(row: AccountRow): Promise<boolean> {
      const result = await db
        .insertInto('accounts')
        .values(row)
        .onConflict((conflict) => conflict.column('email').doNothing())
        .executeTakeFirst();
      return result.numInsertedOrUpdatedRows === 1n;
    },
    update: (id: string, change: AccountChange): Promise<AccountRow | undefined> =>
      db.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirst(),
    byEmail: (email: string): Promise<AccountWithPlan | undefined> =>
      db
        .selectFrom('accounts')
        .selectAll()
        .select(storedPlan.as('stored_plan'))
        .where('email', '=', email)
        .executeTakeFirst(),
    byId: (id: string): Promise<AccountWithPlan | undefined> =>
      present().select(storedPlan.as('stored_plan')).where('id', '=', id).executeTakeFirst(),
    /** Newest first. */
    page(search: string | undefined, page: PageOptions): Promise<AccountRow[]> {
      let query = present().$call(newestFirst(page));
      if (search !== undefined) query = query.where(contains('email', search));
      return query.execute();
    },
    /** Accounts whose files are still being deleted. */
    async leaving(): Promise<string[]> {
      const rows = await db.selectFrom('accounts').select('id').where('deleted_at', 'is not', null).execute();
      return rows.map(({ id }) => id);
    },
    /**
     * Deletes the oldest rows of the two kinds that an account may have millions of: about `limit` of each, with all of the same
     * millisecond. Returns how many went.
     */
    async purgeHistory(id: string, limit: number): Promise<number> {
      let gone = 0;
      for (const table of ['usage_events', 'request_log'] as const) {
        const oldest = db
          .selectFrom(table)
          .select('created_at')
          .where('account_id', '=', id)
          .orderBy('created_at')
          .limit(limit);
        const last = db.selectFrom(oldest.as('oldest')).select(({ fn }) => fn.max('created_at').as('last'));
        const result = await db
          .deleteFrom(table)
          .where('account_id', '=', id)
          .where('created_at', '<=', last)
          .executeTakeFirst();
        gone += Number(result.numDeletedRows);
      }
      return gone;
    },
    /** Deletes the row and, by cascade, everything that belongs to it except files. */
    async purge(id: string): Promise<void> {
      await db.deleteFrom('accounts').where('id', '=', id).where('deleted_at', 'is not', null).execute();
    },
    /** How many accounts each plan has. */
    async countByPlan(): Promise<Map<string, number>> {
      const rows = await db
        .selectFrom('accounts')
        .select(({ fn }) => ['plan', fn.countAll<number>().as('accounts')])
        .where('deleted_at', 'is', null)
        .groupBy('plan')
        .execute();
      return new Map(rows.map(({ plan, accounts }) => [plan, accounts]));
    },
    async countOwners(): Promise<number> {
      const { owners } = await db
        .selectFrom('accounts')
        .select(({ fn }) => fn.countAll<number>().as('owners'))
        .where('owner', '=', 1)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return owners;
    },
    list: (): Promise<AccountRow[]> => present().orderBy('created_at').orderBy('id').execute(),
    async isEmpty(): Promise<boolean> {
      return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined;
    },
  };
}
