// Records what webhooks report. It runs in the transaction of the thing that happened, so that neither is there without the other;
// send-webhooks.ts sends it afterwards. An account without endpoints costs no statement.
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Tables } from '#storage/database.ts';
import type { WebhookDeliveryRow, WebhookEvent } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';

/**
 * Messages waiting for one endpoint. Past this it is switched off: its receiver has not kept up for a long time. URLs that come with
 * renders cannot be switched off, so no further one is accepted.
 */
export const maxWaiting = 10_000;

const retryAfterSeconds = 60;

export type Listener = Pick<Caller, 'accountId' | 'webhookEvents'>;

/** What a message says. */
export type Content =
  | { data: object }
  /** The receipt that the render has when the message is sent, in which `changes` says what differs for this request. */
  | { renderId: string; changes: object };

export const listensTo = ({ webhookEvents }: Listener, event: WebhookEvent): boolean =>
  webhookEvents.includes(event);

/** Records one event for each thing, for every endpoint of the account that is told of it. */
export const recordEvents = (
  tables: Tables,
  listener: Listener,
  event: WebhookEvent,
  things: readonly object[],
  now: number,
): Promise<void> =>
  recordContents(
    tables,
    listener,
    event,
    things.map((data) => ({ data })),
    now,
  );

export async function recordContents(
  tables: Tables,
  listener: Listener,
  event: WebhookEvent,
  contents: readonly Content[],
  now: number,
): Promise<void> {
  if (contents.length === 0 || !listensTo(listener, event)) return;
  const { accountId } = listener;
  const endpoints = await tables.webhooks.wake(accountId, event, { count: contents.length, maxWaiting, now });
  await tables.webhooks.insert(
    endpoints.flatMap((endpointId) =>
      // Apart by a millisecond, so that they stay in order.
      contents.map((content, place) =>
        deliveryOf(accountId, endpointId, { event, content, at: now + place, now }),
      ),
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
  { url, event, content, now }: { url: string; event: WebhookEvent; content: Content; now: number },
): Promise<void> {
  await tables.webhooks.wakeOwnQueue(accountId, now);
  const delivery = deliveryOf(accountId, accountId, { event, content, at: now, now });
  await tables.webhooks.insert([{ ...delivery, url }]);
}

function deliveryOf(
  accountId: string,
  endpointId: string,
  { event, content, at, now }: { event: WebhookEvent; content: Content; at: number; now: number },
): WebhookDeliveryRow {
  const isRender = 'renderId' in content;
  return {
    id: newId(),
    account_id: accountId,
    endpoint_id: endpointId,
    event,
    url: null,
    body: isRender ? JSON.stringify(content.changes) : messageText(event, at, content.data),
    render_id: isRender ? content.renderId : null,
    created_at: at,
    state: 'waiting',
    attempts: 0,
    next_at: now,
  };
}

/** As it is signed and sent. */
export const messageText = (event: WebhookEvent, at: number, data: object): string =>
  JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data });
