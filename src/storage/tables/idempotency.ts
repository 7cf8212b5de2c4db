// Queries on stored responses, by account, endpoint and Idempotency-Key.
import type { Kysely } from 'kysely';
import type { IdempotencyRow, Schema } from '#storage/schema.ts';

export type IdempotencyKey = Pick<IdempotencyRow, 'account_id' | 'endpoint' | 'idempotency_key'>;
export type RememberedAnswer = Pick<IdempotencyRow, 'status' | 'headers' | 'body' | 'render_id'>;

export function createIdempotencyTable(db: Kysely<Schema>) {
  const deleteUnanswered = () => db.deleteFrom('idempotency_keys').where('status', 'is', null);

  return {
    /** True for the one caller that may run the request. */
    async claim(row: IdempotencyRow): Promise<boolean> {
      const result = await db
        .insertInto('idempotency_keys')
        .values(row)
        .onConflict((conflict) => conflict.columns(['account_id', 'endpoint', 'idempotency_key']).doNothing())
        .executeTakeFirst();
      return result.numInsertedOrUpdatedRows === 1n;
    },
    find: ({ account_id, endpoint, idempotency_key }: IdempotencyKey): Promise<IdempotencyRow | undefined> =>
      db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('account_id', '=', account_id)
        .where('endpoint', '=', endpoint)
        .where('idempotency_key', '=', idempotency_key)
        .executeTakeFirst(),
    /** False if another attempt has taken over the key. */
    async answer(attempt: string, answer: RememberedAnswer): Promise<boolean> {
      const result = await db
        .updateTable('idempotency_keys')
        .set(answer)
        .where('attempt', '=', attempt)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    /** Deletes an attempt that has no response. One that gets its response at the same moment stays. */
    async forgetUnanswered(attempt: string): Promise<void> {
      await deleteUnanswered().where('attempt', '=', attempt).execute();
    },
    /** Deletes a response that is too old or whose bytes are gone. */
    async drop(attempt: string): Promise<void> {
      await db.deleteFrom('idempotency_keys').where('attempt', '=', attempt).execute();
    },
    /** Deletes attempts that began before this and have no response: their process is gone. */
    async forgetUnansweredBefore(createdBefore: number): Promise<void> {
      await deleteUnanswered().where('created_at', '<', createdBefore).execute();
    },
    async purge(createdBefore: number): Promise<void> {
      await db.deleteFrom('idempotency_keys').where('created_at', '<', createdBefore).execute();
    },
  };
}
