// The statements of lists and searches as the database would run them: each goes through an index, and one that few rows fit is bounded
// by the last row that is looked at.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely';
import { createTables, type Database, type Tables } from '#storage/database.ts';
import { renderStates, type Schema } from '#storage/schema.ts';
import { databaseEngines, type OpenDatabase } from '#test/storage/engines.ts';

const page = { after: { createdAt: 9, id: 'z' }, limit: 10 };
const bounded = { ...page, until: { createdAt: 1, id: 'a' } };
type Owned = ReturnType<Tables['ownedBy']>;

/** Those that few rows fit, each with the bound that `bounded` gives it. */
const searches: Record<string, (owned: Owned) => Promise<unknown>> = {
  'uploads by text': ({ uploads }) => uploads.page({ search: 'abc' }, bounded, 5),
  'uploads by a single letter': ({ uploads }) => uploads.page({ search: 'a' }, bounded, 5),
  'uploads by tag': ({ uploads }) => uploads.page({ tag: 'abc' }, bounded, 5),
  'uploads by type': ({ uploads }) => uploads.page({ contentType: 'image/png' }, bounded, 5),
  'uploads that expire': ({ uploads }) => uploads.page({ expiry: 'some' }, bounded, 5),
  'the largest uploads by text': ({ uploads }) => uploads.page({ search: 'abc' }, page, 5, 'largest'),
  'sums of uploads': ({ uploads }) => uploads.totals({ search: 'abc' }, 5),
  'ids of uploads': ({ uploads }) => uploads.idsOf({ tag: 'abc' }, 5),
  'renders by text': ({ renders }) => renders.page({ search: 'abc', kinds: ['pdf'] }, bounded, 5),
  'ids of renders': ({ renders }) => renders.idsOf({ search: 'abc' }, 5),
};

const lists: Record<string, (owned: Owned) => Promise<unknown>> = {
  uploads: ({ uploads }) => uploads.page({}, page, 5),
  'the oldest uploads': ({ uploads }) => uploads.page({}, page, 5, 'oldest'),
  'the largest uploads': ({ uploads }) => uploads.page({}, page, 5, 'largest'),
  'uploads of an album': ({ uploads }) => uploads.page({ albumId: 'album' }, page, 5),
  'the last upload to look at': ({ uploads }) => uploads.bounded({ search: 'abc' }, page),
  'all sums of uploads': ({ uploads }) => uploads.totals({}, 5),
  tags: ({ uploads }) => uploads.tags(5, 10),
  'uploads of a time': ({ uploads }) => uploads.page({ since: 5, before: 9 }, page, 5),
  'uploads by hash': ({ uploads }) => uploads.page({ sha256: 'abc' }, page, 5),
  'the last upload of a time to look at': ({ uploads }) =>
    uploads.bounded({ search: 'abc', since: 5, before: 9 }, page),
  albums: ({ albums }) => albums.page(page, 5),
  renders: ({ renders }) => renders.page({}, page, 5),
  'renders by reference': ({ renders }) => renders.page({ reference: 'abc' }, page, 5),
  'renders of a time': ({ renders }) => renders.page({ since: 5, before: 9 }, page, 5),
  ...Object.fromEntries(
    renderStates.map((state) => [
      `${state} renders`,
      ({ renders }: Owned) => renders.page({ state }, page, 5),
    ]),
  ),
};

/** Lists that another index would serve badly; Postgres chooses by what it knows of the rows. */
const ownIndexes: Record<string, { index: RegExp; isForAll: boolean }> = {
  // The uploads of a hundred albums are counted without being read.
  albums: { index: /uploads_shown/, isForAll: false },
  'uploads by hash': { index: /uploads_sha256/, isForAll: true },
  ...Object.fromEntries(
    ['queued', 'running', 'failed', 'canceled'].map((state) => [
      `${state} renders`,
      { index: /renders_unsuccessful/, isForAll: true },
    ]),
  ),
};

/** The statements of a list, which finds one row. */
async function statementsOf(engine: Database['engine'], run: (owned: Owned) => Promise<unknown>) {
  const statements: CompiledQuery[] = [];
  class Recorder extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return {
        async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
          statements.push(query);
          return { rows: [{ createdAt: 1, id: 'a', files: 1, bytes: 1 } as Row] };
        },
        streamQuery() {
          throw new Error('nothing is streamed');
        },
      };
    }
  }
  const [Adapter, Compiler] =
    engine === 'sqlite' ? [SqliteAdapter, SqliteQueryCompiler] : [PostgresAdapter, PostgresQueryCompiler];
  const db = new Kysely<Schema>({
    dialect: {
      createDriver: () => new Recorder(),
      createAdapter: () => new Adapter(),
      createQueryCompiler: () => new Compiler(),
      createIntrospector: (given) => new SqliteIntrospector(given),
    },
  });
  await run(createTables(db).ownedBy('account'));
  return statements;
}

/** The plan in lines. Postgres would read small tables whole, so it is told not to if it can. */
const planOf = (
  { connection, engine }: Database,
  { sql: text, parameters }: CompiledQuery,
): Promise<string[]> =>
  connection.connection().execute(async (one) => {
    if (engine === 'postgres') await sql`set enable_seqscan = off`.execute(one);
    const explain = engine === 'sqlite' ? 'explain query plan' : 'explain';
    const { rows } = await one.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(`${explain} ${text}`, [...parameters]),
    );
    return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN']));
  });

/** The tables that are read from their first row to their last. */
function tablesReadWhole(plan: string[]): string[] {
  const found = plan.flatMap((line) => /(?:^SCAN|Seq Scan on) (\w+)/.exec(line)?.[1] ?? []);
  // What a statement has selected before.
  return found.filter(
    (name) => !plan.some((line) => /^(CO-ROUTINE|MATERIALIZE) /.test(line) && line.endsWith(` ${name}`)),
  );
}

const bound = /\(created_at,id\)>\(|ROW\(created_at, id\) >= ROW\(/;

for (const engine of databaseEngines) {
  describe(`plans of lists on ${engine.name}`, () => {
    let opened: OpenDatabase;
    before(async () => {
      opened = await engine.open();
    });
    after(() => opened.close());

    for (const [name, run] of Object.entries({ ...lists, ...searches }))
      test(name, async () => {
        const statements = await statementsOf(engine.name, run);
        assert.ok(statements.length > 0);
        const plans = await Promise.all(statements.map((statement) => planOf(opened.database, statement)));
        assert.deepEqual(plans.flatMap(tablesReadWhole), [], plans.flat().join('\n'));
        const own = ownIndexes[name];
        if (own !== undefined && (engine.name === 'sqlite' || own.isForAll))
          assert.match(plans.flat().join('\n'), own.index);
        if (name in searches) assert.match(plans.at(-1)!.join('\n'), bound);
      });
  });
}
