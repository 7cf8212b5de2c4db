// Records what webhooks report. It runs in the transaction of the thing that happened, so that neither is there without the other;
// send-webhooks.ts sends it afterwards. An account without endpoints costs no statement.
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Tables } from '#storage/database.ts';
import type { WebhookDeliveryRow, WebhookEvent } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';

/**
 * Of one endpoint. Past this it is switched off: its receiver has not kept up for a long time. URLs that come with renders cannot be
 * switched off, so no further one is accepted.
 */
export const maxWaiting = 10_000;

const retryAfterSeconds = 60;

export type Listener = Pick<Caller, 'accountId' | 'webhookEvents'>;

export const listensTo = ({ webhookEvents }: Listener, event: WebhookEvent): boolean =>
  webhookEvents.includes(event);

/** Records one event for each thing, for every endpoint of the account that is told of it. */
export async function recordEvents(
  tables: Tables,
  listener: Listener,
  event: WebhookEvent,
  things: readonly object[],
  now: number,
): Promise<void> {
  if (things.length === 0 || !listensTo(listener, event)) return;
  const { accountId } = listener;
  const endpoints = await tables.webhooks.wake(accountId, event, { count: things.length, maxWaiting, now });
  await tables.webhooks.insert(
    endpoints.flatMap((endpointId) =>
      // Apart by a millisecond, so that they stay in order.
      things.map((data, place) => deliveryOf(accountId, endpointId, { event, data, at: now + place, now })),
    ),
  );
}

/** Throws `queue_full` if too many events wait for URLs that came with renders. */
export async function requirePlaceForUrl({ webhooks }: Tables, accountId: string): Promise<void> {
  if ((await webhooks.waitingForUrls(accountId)) >= maxWaiting)
    throw new ServiceError(
      'queue_full',
      `${maxWaiting.toLocaleString('en')} messages to such addresses wait for their receivers. Retry when some have arrived.`,
      { retryAfterSeconds, details: { field: 'webhook_url' } },
    );
}

/** Records an event for the URL that came with a request, whatever endpoints the account has. */
export async function recordForUrl(
  tables: Tables,
  accountId: string,
  { url, event, data, now }: { url: string; event: WebhookEvent; data: object; now: number },
): Promise<void> {
  await tables.webhooks.wakeOwnQueue(accountId, now);
  const delivery = deliveryOf(accountId, accountId, { event, data, at: now, now });
  await tables.webhooks.insert([{ ...delivery, url }]);
}

function deliveryOf(
  accountId: string,
  endpointId: string,
  { event, data, at, now }: { event: WebhookEvent; data: object; at: number; now: number },
): WebhookDeliveryRow {
  return {
    id: newId(),
    account_id: accountId,
    endpoint_id: endpointId,
    event,
    url: null,
    body: JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data }),
    created_at: at,
    state: 'waiting',
    attempts: 0,
    next_at: now,
  };
}
