// What several machines take from at the same time.
import { PostgresAdapter, sql, type Kysely, type RawBuilder } from 'kysely';
import type { Schema } from '#storage/schema.ts';

/** A row that another machine has locked at this moment is passed over. SQLite has one writer. */
export const skipLocked = (db: Kysely<Schema>, alias: string): RawBuilder<unknown> =>
  db.getExecutor().adapter instanceof PostgresAdapter
    ? sql`for update of ${sql.ref(alias)} skip locked`
    : sql``;
