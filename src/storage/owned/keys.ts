// One account's API keys.
import type { Kysely } from 'kysely';
import type { ApiKeyRow, Schema } from '#storage/schema.ts';

/** Revoked keys are kept because charts and logs show their names; nobody reads a list longer than this. */
const listed = 500;

export function createOwnedKeys(db: Kysely<Schema>, accountId: string) {
  const mine = () => db.selectFrom('api_keys').selectAll().where('account_id', '=', accountId);
  const change = (id: string, set: Partial<Pick<ApiKeyRow, 'name' | 'revoked_at'>>) =>
    db.updateTable('api_keys').set(set).where('account_id', '=', accountId).where('id', '=', id);

  return {
    list: (): Promise<ApiKeyRow[]> =>
      mine().orderBy('created_at', 'desc').orderBy('id').limit(listed).execute(),
    byId: (id: string): Promise<ApiKeyRow | undefined> => mine().where('id', '=', id).executeTakeFirst(),
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
