// API keys as their account's owner manages them in the dashboard. Spec 5.2.
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { ApiKeyRow } from '#storage/schema.ts';
import { makeKey, type KeyTerms } from '#accounts/accounts.ts';

export interface NewKey {
  /** Returned only once. */
  secret: string;
  row: ApiKeyRow;
}

export function createKeys({ database, clock }: { database: Database; clock: Clock }) {
  async function insert(tables: Tables, accountId: string, terms: KeyTerms): Promise<NewKey> {
    const now = clock.now();
    const { keys } = tables.ownedBy(accountId);
    if ((await keys.countActive(now)) >= limits.keysPerAccount) {
      throw invalid('key', `an account has at most ${limits.keysPerAccount}; revoke one that is not needed`);
    }
    const { key, row } = makeKey(accountId, terms, now);
    await tables.apiKeys.insert(row);
    await keys.forgetEnded(now);
    return { secret: key, row };
  }

  return {
    async create(accountId: string, terms: KeyTerms): Promise<NewKey> {
      checkExpiry(terms.expiresAt, clock.now());
      return database.transactionOf(accountId, async (tables) => {
        await tables.ownedBy(accountId).lock();
        return insert(tables, accountId, terms);
      });
    },

    /**
     * Creates a new key with the same scope, quota and lifetime as the old one; the old one works through the grace period, but not past
     * its own expiry. Undefined when there is no such key.
     */
    async rotate(accountId: string, id: string, graceSeconds: number): Promise<NewKey | undefined> {
      return database.transactionOf(accountId, async (tables) => {
        const owned = tables.ownedBy(accountId);
        await owned.lock();
        const old = await owned.keys.byId(id);
        if (!old) return undefined;
        if (old.revoked_at !== null) throw invalid('key', 'was rotated or revoked before');
        const now = clock.now();
        const { name, scope, created_at, expires_at } = old;
        const { uploads_per_month: uploadsPerMonth, renders_per_month: rendersPerMonth } = old;
        if (expires_at !== null && expires_at <= now) throw invalid('key', 'has expired; create a new one');
        if (graceSeconds > 0 && (await owned.keys.countEnding(now)) >= limits.keysPerAccount)
          throw invalid(
            'grace_seconds',
            `an account has at most ${limits.keysPerAccount} rotated keys that still work; revoke one of them, or use 0`,
          );
        await owned.keys.endAt(id, now + graceSeconds * 1000);
        const expiresAt = expires_at === null ? null : now + (expires_at - created_at);
        return insert(tables, accountId, { name, scope, expiresAt, uploadsPerMonth, rendersPerMonth });
      });
    },

    /** Takes effect at once, even during a grace period. Undefined when there is no such key. */
    async revoke(accountId: string, id: string): Promise<ApiKeyRow | undefined> {
      const { keys } = database.tables.ownedBy(accountId);
      await keys.endAt(id, clock.now());
      return keys.byId(id);
    },
  };
}

function checkExpiry(expiresAt: number | null, now: number): void {
  if (expiresAt === null) return;
  if (expiresAt <= now) throw invalid('expires_at', 'must be in the future');
  if (expiresAt > now + limits.keyDays * 86_400_000)
    throw invalid(
      'expires_at',
      `must be at most ${limits.keyDays} days ahead; leave it out for a key without an end`,
    );
}
