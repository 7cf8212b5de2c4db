// The connections behind Kysely. They fail fast during an outage, prepare their statements, retry on conflicts, are dropped when
// broken, and distinguish a commit whose response was lost from one that failed.
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { DatabaseError, type Pool, type PoolClient, type QueryArrayResult, type QueryResult } from 'pg';
import { timed, type OnTiming } from '#core/timings.ts';
import { createOutageGuard } from '#storage/outage.ts';

/** The connection broke during a commit: only the server knows whether it succeeded. */
export class LostCommitError extends Error {
  readonly transactionId: string;

  constructor(transactionId: string, cause: unknown) {
    super('the connection broke during a commit', { cause });
    this.transactionId = transactionId;
  }
}

const preparedStatements = 200;
const attempts = 5;
const collisions = new Set(['40P01', '40001']);

/** `perTransaction` has the settings of each transaction, for PgBouncer: connections are then shared and nothing may be prepared. */
export function createGuardedPool(
  pool: Pool,
  note: OnTiming,
  perTransaction?: Record<string, number>,
): PostgresPool {
  const ask = createOutageGuard('the database', isOutage);
  const wrappers = new WeakMap<PoolClient, PostgresPoolClient>();
  const names = new Map<string, string>();

  const settings = Object.entries(perTransaction ?? {}).map(
    ([name, value]) => `set local ${name} = ${value};`,
  );
  // All in one round trip. With the transaction id the fate of a lost commit can be queried.
  const beginText = `begin; ${settings.join(' ')} select pg_current_xact_id()::text as id`;

  function nameOf(text: string): string | undefined {
    const known = names.get(text);
    // Not for lists of varying length: each length would be another statement in the memory of every connection.
    const isOfVaryingLength = / in \(|\), \(/.test(text);
    if (known !== undefined || perTransaction || isOfVaryingLength || names.size >= preparedStatements)
      return known;
    const name = `tintype_${names.size}`;
    names.set(text, name);
    return name;
  }

  return {
    options: pool.options,
    async connect() {
      const client = await timed(note, 'connect', () => ask(() => pool.connect()));
      const wrapper = wrappers.get(client) ?? wrap(client, nameOf, beginText, note);
      wrappers.set(client, wrapper);
      return wrapper;
    },
    end: () => pool.end(),
  };
}

function wrap(
  client: PoolClient,
  nameOf: (text: string) => string | undefined,
  beginText: string,
  note: OnTiming,
): PostgresPoolClient {
  let transactionId: string | undefined;
  let isBroken = false;
  // Emitted when a connection breaks while it is in use. Without a listener that would end the process.
  client.on('error', () => {
    isBroken = true;
  });

  async function begin(): Promise<QueryResult> {
    const [begun, ...others] = (await client.query(beginText)) as unknown as [
      QueryResult,
      ...QueryResult<{ id: string }>[],
    ];
    transactionId = others.at(-1)?.rows[0]?.id;
    return begun;
  }

  async function end(text: 'commit' | 'rollback'): Promise<unknown> {
    const id = transactionId;
    transactionId = undefined;
    // The server rolls back the transaction of a broken connection itself.
    if (isBroken && text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    try {
      return await client.query(text);
    } catch (error) {
      if (text === 'commit' && id !== undefined && !(error instanceof DatabaseError))
        throw new LostCommitError(id, error);
      throw error;
    }
  }

  function run(text: string, values: unknown[]): Promise<unknown> {
    if (text === 'begin') return begin();
    if (text === 'commit' || text === 'rollback') return end(text);
    const name = nameOf(text);
    const query = () => client.query({ text, values, ...(name !== undefined && { name }) });
    return transactionId === undefined ? retryOnConflict(query) : query();
  }

  const wrapper = {
    async query(text: string, values: unknown[]) {
      try {
        const operation = text === 'commit' ? text : 'query';
        return (await timed(note, operation, () => run(text, values))) as QueryResult | QueryArrayResult;
      } catch (error) {
        // An error that the server did not send leaves the connection in an unknown state.
        if (!(error instanceof DatabaseError)) isBroken = true;
        throw error;
      }
    },
    release: (destroy = false) => client.release(destroy || isBroken),
  };
  return wrapper as unknown as PostgresPoolClient;
}

/** Retries a single statement or a whole transaction after a serialization failure or deadlock. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isCollision = error instanceof DatabaseError && collisions.has(error.code ?? '');
      if (!isCollision || attempt === attempts) throw error;
      await delay(Math.random() * 20 * attempt);
    }
  }
}

/** A pool whose connections are all in use is busy, not down; the text is pg-pool's. */
const isOutage = (error: unknown): boolean =>
  (error as Error).message !== 'timeout exceeded when trying to connect';
