// Decides which machine runs a chore next, when many share a database. Postgres only.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export interface ChoresTable {
  /** True for the one process that may run the chore now; it is due again after `everyMs`. */
  claim(name: string, everyMs: number, now: number): Promise<boolean>;
}

export function createChoresTable(db: Kysely<Schema>): ChoresTable {
  return {
    async claim(name, everyMs, atMs) {
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
