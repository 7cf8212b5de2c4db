// A read-only connection to the SQLite database. Nothing that is being written holds it up, and each of its statements sees all that
// was committed before it began.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { createBoundedMap } from '#core/bounded-map.ts';

/** A statement that returns rows and changes nothing. */
export interface Read {
  sql: string;
  parameters: readonly unknown[];
}

export type ReadConnection = ReturnType<typeof openReadConnection>;

const maxStatements = 200;

export function openReadConnection(path: string) {
  const native = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  native.exec('pragma cache_size = -8192; pragma temp_store = memory');
  const statements = createBoundedMap<string, StatementSync>(maxStatements);

  return {
    rowsOf({ sql, parameters }: Read): unknown[] {
      let statement = statements.get(sql);
      if (!statement) {
        statement = native.prepare(sql);
        statements.set(sql, statement);
      }
      return statement.all(...(parameters as SQLInputValue[]));
    },
    close: () => native.close(),
  };
}
