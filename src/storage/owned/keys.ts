// One account's API keys.
import type { Kysely } from 'kysely';
import type { ApiKeyRow, Schema } from '#storage/schema.ts';

/**
 * The newest keys of an account are kept after they end, because charts and logs show their names; older ones only while they
 * work.
 */
const kept = 500;

export function createOwnedKeys(db: Kysely<Schema>, accountId: string) {
  const mine = () => db.selectFrom('api_keys').selectAll().where('account_id', '=', accountId);
  const change = (id: string, set: Partial<Pick<ApiKeyRow, 'name' | 'revoked_at'>>) =>
    db.updateTable('api_keys').set(set).where('account_id', '=', accountId).where('id', '=', id);

  return {
    list: (): Promise<ApiKeyRow[]> =>
      mine().orderBy('created_at', 'desc').orderBy('id').limit(kept).execute(),
    byId: (id: string): Promise<ApiKeyRow | undefined> => mine().where('id', '=', id).executeTakeFirst(),
    /** Keys that are neither revoked nor expired, newest first. */
    working: (now: number): Promise<ApiKeyRow[]> =>
      mine()
        .where(({ eb, or }) => or([eb('revoked_at', 'is', null), eb('revoked_at', '>', now)]))
        .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute(),
    /** Active keys. A rotated key in its grace period does not count. */
    async countActive(now: number): Promise<number> {
      const row = await db
        .selectFrom('api_keys')
        .select(({ fn }) => fn.countAll<number | string>().as('active'))
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .executeTakeFirstOrThrow();
      return Number(row.active);
    },
    rename: (id: string, name: string): Promise<ApiKeyRow | undefined> =>
      change(id, { name }).returningAll().executeTakeFirst(),
    /** Sets when a key ends, unless it ends earlier already. */
    endAt: (id: string, at: number): Promise<ApiKeyRow | undefined> =>
      change(id, { revoked_at: at })
        .where(({ eb, or }) => or([eb('revoked_at', 'is', null), eb('revoked_at', '>', at)]))
        .returningAll()
        .executeTakeFirst(),
    /** Rotated keys in their grace period. */
    async countEnding(now: number): Promise<number> {
      const row = await db
        .selectFrom('api_keys')
        .select(({ fn }) => fn.countAll<number | string>().as('ending'))
        .where('account_id', '=', accountId)
        .where('revoked_at', '>', now)
        .executeTakeFirstOrThrow();
      return Number(row.ending);
    },
    /** Deletes revoked and expired keys that are not among the newest. */
    async forgetEnded(now: number): Promise<void> {
      const newest = db
        .selectFrom('api_keys')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(kept);
      await db
        .deleteFrom('api_keys')
        .where('account_id', '=', accountId)
        .where(({ eb, or }) => or([eb('revoked_at', '<=', now), eb('expires_at', '<=', now)]))
        .where('id', 'not in', newest)
        .execute();
    },
    async revokeAll(now: number): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('account_id', '=', accountId)
        .where(({ eb, or }) => or([eb('revoked_at', 'is', null), eb('revoked_at', '>', now)]))
        .execute();
    },
  };
}
