// Statements that every upload or request runs. Kysely would compile such a template anew each time, which takes longer than running it.
import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely';
import type { Schema } from '#storage/schema.ts';

/** Compiled when it first runs on each engine. The template must not depend on its values otherwise. */
export function createStatement<Row, Values extends unknown[]>(
  template: (...values: Values) => RawBuilder<Row>,
) {
  /** The text, and for each of its parameters the place of its value. */
  const compiled = new Map<unknown, { text: string; places: number[] }>();

  function compileFor(db: Kysely<Schema>) {
    // Each stands for a value, and is found again among the parameters.
    const holes: unknown[] = Array.from({ length: template.length }, () => ({}));
    const { sql, parameters } = template(...(holes as Values)).compile(db);
    return { text: sql, places: parameters.map((hole) => holes.indexOf(hole)) };
  }

  return async (db: Kysely<Schema>, ...values: Values): Promise<Row[]> => {
    const engine = db.getExecutor().adapter.constructor;
    const { text, places } = compiled.get(engine) ?? compileFor(db);
    compiled.set(engine, { text, places });
    const parameters = places.map((place) => values[place]);
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows;
  };
}
