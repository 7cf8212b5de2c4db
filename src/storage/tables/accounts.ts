// Queries on accounts.
import type { Kysely } from 'kysely';
import type { AccountRow, Schema } from '#storage/schema.ts';

export type AccountsTable = ReturnType<typeof createAccountsTable>;
export type AccountChange = Partial<Pick<AccountRow, 'plan' | 'verified' | 'suspended' | 'overages'>>;

export function createAccountsTable(db: Kysely<Schema>) {
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
    byEmail: (email: string): Promise<AccountRow | undefined> =>
      db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst(),
    list: (): Promise<AccountRow[]> =>
      db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').execute(),
    async isEmpty(): Promise<boolean> {
      return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined;
    },
  };
}
