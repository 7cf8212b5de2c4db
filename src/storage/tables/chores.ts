// Decides which machine runs a chore next, when many share a database. Postgres only.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export type ChoresTable = ReturnType<typeof createChoresTable>;

export function createChoresTable(db: Kysely<Schema>) {
  return {
    /** True for the one process that may run the chore now; it is due again after `everyMs`. */
    async claim(name: string, everyMs: number, atMs: number): Promise<boolean> {
      const now = sql`${atMs}::bigint`;
      const { rows } = await sql`
        insert into chores as current (name, next_at)
        select ${name}, ${now} + ${everyMs}::integer
        where not exists (select from chores where name = ${name} and next_at > ${now})
        on conflict (name) do update set next_at = excluded.next_at where current.next_at <= ${now}
        returning name`.execute(db);
      return rows.length === 1;
    },
  };
}
