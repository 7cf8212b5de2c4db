// Statements that every upload or request runs. Kysely builds a query each time, which costs more than running it; here the
// text is built once.
import {
  CompiledQuery,
  PostgresAdapter,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
} from 'kysely';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Schema } from '#storage/schema.ts';

/** A template like sql`…`, but only for values: identifiers and SQL fragments must be part of the text. */
export type Statement = <Row>(parts: TemplateStringsArray, ...values: unknown[]) => Promise<QueryResult<Row>>;

const templates = { sqlite: new WeakMap<object, string>(), postgres: new WeakMap<object, string>() };

const connections = new WeakMap<Kysely<Schema>, DatabaseConnection>();

/**
 * Runs the statements of a transaction on its connection itself. Kysely takes a lock and makes several promises for each query, which
 * costs more than a small statement; a transaction has its connection to itself and needs no lock.
 */
export async function runDirectly(transaction: Kysely<Schema>): Promise<DatabaseConnection> {
  const connection = await transaction.getExecutor().provideConnection(async (own) => own);
  connections.set(transaction, connection);
  return connection;
}

const executorOf = (db: Kysely<Schema>): Kysely<Schema> | DatabaseConnection => connections.get(db) ?? db;

export function createStatement(db: Kysely<Schema>): Statement {
  const engine = engineOf(db);
  const executor = executorOf(db);
  return <Row>(parts: TemplateStringsArray, ...values: unknown[]) => {
    let text = templates[engine].get(parts);
    if (text === undefined) {
      text = parts.reduce((before, part, place) => `${before}${placeholder(engine, place)}${part}`);
      templates[engine].set(parts, text);
    }
    return executor.executeQuery<Row>(CompiledQuery.raw(text, values));
  };
}

/** Insert statements by table and number of rows. */
const inserts = createBoundedMap<string, string>(500);

/** Inserts all rows with one statement. Returns how many were inserted: `conflict` may skip some. */
export async function insertRows<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  columns: readonly (keyof Schema[Table] & string)[],
  rows: readonly Schema[Table][],
  conflict = '',
): Promise<number> {
  if (rows.length === 0) return 0;
  const engine = engineOf(db);
  const name = `${engine} ${table} ${rows.length}`;
  let text = inserts.get(name);
  if (text === undefined) {
    const tuples = rows.map((_, row) => {
      const places = columns.map((__, column) => placeholder(engine, row * columns.length + column + 1));
      return `(${places.join(', ')})`;
    });
    text = `insert into ${table} (${columns.join(', ')}) values ${tuples.join(', ')} ${conflict}`;
    inserts.set(name, text);
  }
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  const { numAffectedRows } = await executorOf(db).executeQuery(CompiledQuery.raw(text, values));
  return Number(numAffectedRows ?? 0);
}

type Engine = keyof typeof templates;

function engineOf(db: Kysely<Schema>): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Counted from 1. */
const placeholder = (engine: Engine, place: number): string => (engine === 'postgres' ? `$${place}` : '?');
