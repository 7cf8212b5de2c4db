// API keys as their account's owner manages them in the dashboard. Spec 5.2.
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { ApiKeyRow } from '#storage/schema.ts';
import { makeKey } from '#accounts/accounts.ts';

export interface NewKey {
  /** Shown this once. */
  secret: string;
  row: ApiKeyRow;
}

export type Keys = ReturnType<typeof createKeys>;

export function createKeys({
  database,
  clock,
  onChange,
}: {
  database: Database;
  clock: Clock;
  onChange: () => void;
}) {
  async function insert(tables: Tables, accountId: string, name: string): Promise<NewKey> {
    if ((await tables.ownedBy(accountId).keys.countActive()) >= limits.keysPerAccount) {
      throw invalid('key', `an account has at most ${limits.keysPerAccount}; revoke one that is not needed`);
    }
    const { key, row } = makeKey(accountId, name, clock.now());
    await tables.apiKeys.insert(row);
    return { secret: key, row };
  }

  return {
    create: (accountId: string, name: string): Promise<NewKey> =>
      database.transaction(async (tables) => {
        await tables.ownedBy(accountId).lock();
        return insert(tables, accountId, name);
      }),

    /** A new key now; the old one works through the grace period. Undefined when there is no such key. */
    async rotate(accountId: string, id: string, graceSeconds: number): Promise<NewKey | undefined> {
      const created = await database.transaction(async (tables) => {
        const owned = tables.ownedBy(accountId);
        await owned.lock();
        const old = await owned.keys.byId(id);
        if (!old) return undefined;
        if (old.revoked_at !== null) throw invalid('key', 'was rotated or revoked before');
        await owned.keys.endAt(id, clock.now() + graceSeconds * 1000);
        return insert(tables, accountId, old.name);
      });
      onChange();
      return created;
    },

    /** At once, whatever grace it had. Undefined when there is no such key. */
    async revoke(accountId: string, id: string): Promise<ApiKeyRow | undefined> {
      const { keys } = database.tables.ownedBy(accountId);
      await keys.endAt(id, clock.now());
      onChange();
      return keys.byId(id);
    },
  };
}
