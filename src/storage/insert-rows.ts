// Inserts rows into the tables that every upload or request writes to.
import { CompiledQuery, PostgresAdapter, type Kysely } from 'kysely';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Schema } from '#storage/schema.ts';

/** Insert statements by engine, table and number of rows. */
const statements = createBoundedMap<string, string>(500);

/**
 * Inserts all rows with one statement. Returns how many were inserted: `conflict` may skip some. Kysely would build the same query
 * each time, which takes 46 of the 880 µs of CPU time of an upload (5 %), or 35 of 620 when sixteen clients send (6 %).
 */
export async function insertRows<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  columns: readonly (keyof Schema[Table] & string)[],
  rows: readonly Schema[Table][],
  conflict = '',
): Promise<number> {
  if (rows.length === 0) return 0;
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const name = `${isPostgres} ${table} ${rows.length}`;
  let text = statements.get(name);
  if (text === undefined) {
    const tuples = rows.map((_, row) => {
      const places = columns.map((__, column) =>
        isPostgres ? `$${row * columns.length + column + 1}` : '?',
      );
      return `(${places.join(', ')})`;
    });
    text = `insert into ${table} (${columns.join(', ')}) values ${tuples.join(', ')} ${conflict}`;
    statements.set(name, text);
  }
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  const { numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, values));
  return Number(numAffectedRows ?? 0);
}
