// The secret with which an account's webhooks are signed. A new one is shown once; the one before signs too for a day, so that
// receivers can change over without losing a message.
import type { Clock } from '#core/clock.ts';
import { seal, unseal } from '#core/seal.ts';
import type { Database } from '#storage/database.ts';
import { installationSecret } from '#accounts/installation-secret.ts';
import { newWebhookSecret } from '#delivery/sign.ts';

const overlapMs = 24 * 60 * 60 * 1000;

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

export function createWebhookSecrets({ database, clock }: { database: Database; clock: Clock }) {
  const { webhookSecrets } = database.tables;

  return {
    /** Those that sign now, the newest first. Makes one if there is none, so that nothing is ever sent unsigned. */
    async of(accountId: string): Promise<string[]> {
      const key = await installationSecret(database);
      const now = clock.now();
      let row = await webhookSecrets.read(accountId);
      if (!row) {
        await webhookSecrets.insert({
          account_id: accountId,
          sealed: seal(key, newWebhookSecret()),
          previous_sealed: null,
          previous_until: null,
          created_at: now,
        });
        row = await webhookSecrets.read(accountId);
      }
      if (!row) return [];
      const { sealed, previous_sealed, previous_until } = row;
      const isOverlap = previous_sealed !== null && (previous_until ?? 0) > now;
      return [sealed, ...(isOverlap ? [previous_sealed] : [])].map((text) => unseal(key, text));
    },

    /** Makes a new one, which is returned only here. */
    async rotate(accountId: string): Promise<string> {
      const key = await installationSecret(database);
      const secret = newWebhookSecret();
      await database.transactionOf(accountId, async (tables) => {
        await tables.ownedBy(accountId).lock();
        const old = await tables.webhookSecrets.read(accountId);
        const now = clock.now();
        await tables.webhookSecrets.write({
          account_id: accountId,
          sealed: seal(key, secret),
          previous_sealed: old?.sealed ?? null,
          previous_until: old ? now + overlapMs : null,
          created_at: now,
        });
      });
      return secret;
    },
  };
}
