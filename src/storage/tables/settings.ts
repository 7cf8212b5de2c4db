// Queries on the settings of the installation: one text per name.
import type { Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export function createSettingsTable(db: Kysely<Schema>) {
  return {
    /** The value stored under this name; if there is none, stores and returns the given one. */
    async getOr(name: string, value: string): Promise<string> {
      await db
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await db
        .selectFrom('settings')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return row.value;
    },
    /** The values of the given names; names without a value are left out. */
    async read(names: string[]): Promise<Map<string, string>> {
      const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute();
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    /** Null removes the value. */
    async write(name: string, value: string | null): Promise<void> {
      if (value === null) await db.deleteFrom('settings').where('name', '=', name).execute();
      else
        await db
          .insertInto('settings')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute();
    },
  };
}
