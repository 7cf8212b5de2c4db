// Queries on the secrets that sign webhooks.
import type { Kysely } from 'kysely';
import type { Schema, WebhookSecretRow } from '#storage/schema.ts';

export function createWebhookSecretsTable(db: Kysely<Schema>) {
  return {
    read: (accountId: string): Promise<WebhookSecretRow | undefined> =>
      db.selectFrom('webhook_secrets').selectAll().where('account_id', '=', accountId).executeTakeFirst(),
    /** Does nothing if the account has one. */
    async insert(row: WebhookSecretRow): Promise<void> {
      await db
        .insertInto('webhook_secrets')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async write(row: WebhookSecretRow): Promise<void> {
      const { account_id: _, ...rest } = row;
      await db
        .insertInto('webhook_secrets')
        .values(row)
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(rest))
        .execute();
    },
  };
}
