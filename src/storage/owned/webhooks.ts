// One account's endpoints for webhooks, and the log of what was sent to them.
import { sql, type Kysely } from 'kysely';
import { newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { Schema, WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow } from '#storage/schema.ts';

/** A delivery as the log shows it: without its body, with the URL of its endpoint. */
export type LoggedDelivery = Omit<WebhookDeliveryRow, 'body' | 'account_id' | 'render_id'>;

export function createOwnedWebhooks(db: Kysely<Schema>, accountId: string) {
  const mine = () =>
    db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('url', 'is not', null);

  return {
    /** Oldest first. */
    endpoints: (): Promise<WebhookEndpointRow[]> => mine().orderBy('created_at').orderBy('id').execute(),
    endpoint: (id: string): Promise<WebhookEndpointRow | undefined> =>
      mine().where('id', '=', id).executeTakeFirst(),
    async insert(row: WebhookEndpointRow): Promise<void> {
      await db
        .insertInto('webhook_endpoints')
        .values({ ...row, account_id: accountId })
        .execute();
    },
    change: (
      id: string,
      change: Partial<Pick<WebhookEndpointRow, 'url' | 'events' | 'off_at' | 'off_reason' | 'notice'>>,
    ): Promise<WebhookEndpointRow | undefined> =>
      db
        .updateTable('webhook_endpoints')
        .set(change)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('url', 'is not', null)
        .returningAll()
        .executeTakeFirst(),
    /** With everything that waits for it, and its log. */
    async remove(id: string): Promise<boolean> {
      const result = await db
        .deleteFrom('webhook_endpoints')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('url', 'is not', null)
        .executeTakeFirst();
      return result.numDeletedRows === 1n;
    },
    /** With the secret, so that nothing more can be signed with it. */
    async removeAll(): Promise<void> {
      await db.deleteFrom('webhook_endpoints').where('account_id', '=', accountId).execute();
      await db.deleteFrom('webhook_secrets').where('account_id', '=', accountId).execute();
      await db.updateTable('accounts').set({ webhook_events: '' }).where('id', '=', accountId).execute();
    },
    ...createDeliveryLog(db, accountId),
  };
}

function createDeliveryLog(db: Kysely<Schema>, accountId: string) {
  const logged = () =>
    db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhook_endpoints', 'webhook_endpoints.id', 'endpoint_id')
      .select([
        'webhook_deliveries.id',
        'endpoint_id',
        'event',
        'state',
        'attempts',
        'webhook_deliveries.created_at',
        'webhook_deliveries.next_at',
        sql<string | null>`coalesce(webhook_deliveries.url, webhook_endpoints.url)`.as('url'),
      ])
      .where('webhook_deliveries.account_id', '=', accountId);

  return {
    /** Newest first. */
    deliveries(
      {
        endpointId,
        state,
      }: { endpointId?: string | undefined; state?: WebhookDeliveryRow['state'] | undefined },
      page: PageOptions,
    ): Promise<LoggedDelivery[]> {
      let query = db.selectFrom(logged().as('deliveries')).selectAll().$call(newestFirst(page));
      if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId);
      if (state !== undefined) query = query.where('state', '=', state);
      return query.execute();
    },
    delivery: (id: string): Promise<WebhookDeliveryRow | undefined> =>
      db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst(),
    /** The attempts of deliveries of this account, in order. */
    attempts: (deliveryIds: string[]): Promise<WebhookAttemptRow[]> =>
      db
        .selectFrom('webhook_attempts')
        .innerJoin('webhook_deliveries', 'webhook_deliveries.id', 'delivery_id')
        .selectAll('webhook_attempts')
        .where('account_id', '=', accountId)
        .where('delivery_id', 'in', deliveryIds)
        .orderBy('number')
        .execute(),
    /** Makes a delivery due, and its queue. False if it waits already, or its endpoint is off. */
    async sendAgain(id: string, now: number): Promise<boolean> {
      // First the queue, as everywhere.
      const queue = await db
        .updateTable('webhook_endpoints')
        .set({
          waiting: sql`waiting + 1`,
          next_at: sql`case when next_at < ${now} then next_at else cast(${now} as bigint) end`,
        })
        .where('account_id', '=', accountId)
        .where('off_at', 'is', null)
        .where('id', '=', db.selectFrom('webhook_deliveries').select('endpoint_id').where('id', '=', id))
        .returning('id')
        .executeTakeFirst();
      if (!queue) return false;
      const result = await db
        .updateTable('webhook_deliveries')
        .set({ state: 'waiting', next_at: now })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('next_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
  };
}
