// One account's API keys.
import type { Kysely } from 'kysely';
import { isAhead } from '#storage/owned/page.ts';
import type { ApiKeyRow, KeyAddressRow, Schema } from '#storage/schema.ts';

/**
 * The newest keys of an account are kept after they end, because charts and logs show their names; older ones only while they
 * work.
 */
const kept = 500;

export function createOwnedKeys(db: Kysely<Schema>, accountId: string) {
  const mine = () => db.selectFrom('api_keys').where('account_id', '=', accountId);
  const newestFirst = () => mine().orderBy('created_at', 'desc').orderBy('id');
  const count = () => mine().select(({ fn }) => fn.countAll<number>().as('keys'));
  const change = (id: string, set: Partial<ApiKeyRow>) =>
    db.updateTable('api_keys').set(set).where('account_id', '=', accountId).where('id', '=', id);

  return {
    list: (): Promise<ApiKeyRow[]> => newestFirst().selectAll().limit(kept).execute(),
    byId: (id: string): Promise<ApiKeyRow | undefined> =>
      mine().selectAll().where('id', '=', id).executeTakeFirst(),
    /** The addresses that each key was used from, the newest first. */
    addresses: (): Promise<KeyAddressRow[]> =>
      mine()
        .innerJoin('key_addresses', 'key_id', 'api_keys.id')
        .selectAll('key_addresses')
        .orderBy('key_addresses.last_used_at', 'desc')
        .orderBy('address')
        .execute(),
    /** Keys that are neither revoked nor expired, newest first. */
    working: (now: number): Promise<ApiKeyRow[]> =>
      newestFirst().selectAll().where(isAhead('revoked_at', now)).where(isAhead('expires_at', now)).execute(),
    /** Active keys. A rotated key in its grace period does not count. */
    async countActive(now: number): Promise<number> {
      const active = count().where('revoked_at', 'is', null).where(isAhead('expires_at', now));
      return (await active.executeTakeFirstOrThrow()).keys;
    },
    update: (
      id: string,
      set: Partial<Pick<ApiKeyRow, 'name' | 'uploads_per_month' | 'renders_per_month'>>,
    ): Promise<ApiKeyRow | undefined> => change(id, set).returningAll().executeTakeFirst(),
    /** Sets when a key ends, unless it ends earlier already. */
    endAt: (id: string, at: number): Promise<ApiKeyRow | undefined> =>
      change(id, { revoked_at: at }).where(isAhead('revoked_at', at)).returningAll().executeTakeFirst(),
    /** Rotated keys in their grace period. */
    async countEnding(now: number): Promise<number> {
      return (await count().where('revoked_at', '>', now).executeTakeFirstOrThrow()).keys;
    },
    /** Deletes revoked and expired keys that are not among the newest. */
    async forgetEnded(now: number): Promise<void> {
      await db
        .deleteFrom('api_keys')
        .where('account_id', '=', accountId)
        .where(({ eb, or }) => or([eb('revoked_at', '<=', now), eb('expires_at', '<=', now)]))
        .where('id', 'not in', newestFirst().select('id').limit(kept))
        .execute();
    },
    async revokeAll(now: number): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('account_id', '=', accountId)
        .where(isAhead('revoked_at', now))
        .execute();
    },
  };
}
