// The webhooks page: endpoints, the secret, and the log of what was sent.
import { limits } from '#core/limits.ts';
import { pageOptions } from '#storage/owned/cursor.ts';
import type { LoggedDelivery } from '#storage/owned/webhooks.ts';
import type { WebhookAttemptRow, WebhookEndpointRow, WebhookEvent } from '#storage/schema.ts';
import { found } from '#console/errors.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { isoTime, isoTimeOrNull, toPage } from '#api/common-views.ts';

export function webhooksHandlers({ clock, database, delivery }: DashboardParts) {
  const { webhookEndpoints, webhookSecrets } = delivery;
  return {
    async 'GET /webhooks'({ owned }) {
      const secret = await database.tables.webhookSecrets.read(owned.accountId);
      const overlap = secret?.previous_until ?? 0;
      return {
        endpoints: (await owned.webhooks.endpoints()).map(endpointView),
        limit: limits.webhookEndpoints,
        /** Null if there is none yet. */
        secret_made_at: isoTimeOrNull(secret?.created_at ?? null),
        /** While the secret before this one signs too. */
        old_secret_until: overlap > clock.now() ? isoTime(overlap) : null,
      };
    },
    async 'POST /webhooks'({ owned, body }) {
      const { row, secret = null } = await webhookEndpoints.add(owned.accountId, body);
      return { endpoint: endpointView(row), secret };
    },
    async 'PATCH /webhooks/:id'({ owned, id, body: { url, events, enabled } }) {
      const change = {
        ...(url !== undefined && { url }),
        ...(events && { events }),
        ...(enabled !== undefined && { isOn: enabled }),
      };
      return endpointView(found(await webhookEndpoints.change(owned.accountId, id, change)));
    },
    async 'DELETE /webhooks/:id'({ owned, id }) {
      found((await webhookEndpoints.remove(owned.accountId, id)) || undefined);
      return { removed: true };
    },
    'POST /webhooks/rotate-secret': async ({ owned }) => ({
      secret: await webhookSecrets.rotate(owned.accountId),
    }),
    async 'GET /webhooks/deliveries'({ owned, query }) {
      const page = pageOptions(query);
      const filter = { endpointId: query.endpoint_id, state: query.state };
      const rows = await owned.webhooks.deliveries(filter, page);
      const attempts = rows.length === 0 ? [] : await owned.webhooks.attempts(rows.map(({ id }) => id));
      const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
      return toPage(rows, page, (row) => deliveryView(row, byDelivery.get(row.id) ?? []));
    },
    async 'GET /webhooks/deliveries/:id'({ owned, id }) {
      const { body } = found(await owned.webhooks.delivery(id));
      return { body: JSON.parse(body) as object };
    },
    async 'POST /webhooks/deliveries/:id/send'({ owned, id }) {
      found((await webhookEndpoints.sendAgain(owned.accountId, id)) || undefined);
      return { sending: true };
    },
  } satisfies Partial<Handlers>;
}

export type Endpoint = ReturnType<typeof endpointView>;

const endpointView = ({ id, url, events, created_at, off_at, off_reason, waiting }: WebhookEndpointRow) => ({
  id,
  url: url ?? '',
  events: events.split(',') as WebhookEvent[],
  created_at: isoTime(created_at),
  enabled: off_at === null,
  off_at: isoTimeOrNull(off_at),
  /** `failing` and `crowded`: by the service. */
  off_reason,
  waiting,
});

export type Delivery = ReturnType<typeof deliveryView>;

const deliveryView = (row: LoggedDelivery, attempts: WebhookAttemptRow[]) => ({
  id: row.id,
  event: row.event,
  url: row.url ?? '',
  state: row.state,
  created_at: isoTime(row.created_at),
  /** When it is tried next; null if it is not. */
  next_at: isoTimeOrNull(row.next_at),
  attempts: attempts.map(({ number, at, status, failure, duration_ms }) => ({
    number,
    at: isoTime(at),
    /** Null if there was no answer; then `failure` says why. */
    status,
    failure,
    duration_ms,
  })),
});
