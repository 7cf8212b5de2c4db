// The endpoints of an account, as its owner manages them in the dashboard.
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Wall } from '#wall/wall.ts';
import type { Database } from '#storage/database.ts';
import { webhookEvents, type WebhookEndpointRow, type WebhookEvent } from '#storage/schema.ts';
import { maxAttempts } from '#delivery/retries.ts';
import type { WebhookSecrets } from '#delivery/webhook-secrets.ts';

/** How often one delivery is sent, those on request included: each leaves a row. */
const maxSends = 3 * maxAttempts;

export interface EndpointChange {
  url?: string;
  events?: readonly WebhookEvent[];
  isOn?: boolean;
}

export function createWebhookEndpoints(parts: {
  database: Database;
  clock: Clock;
  wall: Wall;
  secrets: WebhookSecrets;
  /** Called after something has become due. */
  wake: () => void;
}) {
  const { database, clock, wall, secrets, wake } = parts;

  async function canonicalUrl(text: string): Promise<string> {
    const { url, decide } = wall.check('webhook', text, 'url');
    const verdict = await decide(new AbortController().signal);
    if (verdict.kind === 'unresolved') throw invalid('url', `${url.host} does not resolve`);
    return url.href;
  }

  return {
    /** The secret is new if this is the account's first endpoint; it is returned only here. */
    async add(
      accountId: string,
      { url, events }: { url: string; events: readonly WebhookEvent[] },
    ): Promise<{ row: WebhookEndpointRow; secret: string | undefined }> {
      const address = await canonicalUrl(url);
      const row = await database.transactionOf(accountId, async (tables) => {
        const owned = tables.ownedBy(accountId);
        await owned.lock();
        if ((await owned.webhooks.endpoints()).length >= limits.webhookEndpoints)
          throw invalid(
            'url',
            `an account has at most ${limits.webhookEndpoints} endpoints; remove one first`,
          );
        const added = newEndpoint(accountId, address, events, clock.now());
        await owned.webhooks.insert(added);
        await tables.webhooks.noteEvents(accountId);
        return added;
      });
      const hasSecret = (await database.tables.webhookSecrets.read(accountId)) !== undefined;
      return { row, secret: hasSecret ? undefined : await secrets.rotate(accountId) };
    },

    /** Undefined when there is no such endpoint. */
    async change(
      accountId: string,
      id: string,
      { url, events, isOn }: EndpointChange,
    ): Promise<WebhookEndpointRow | undefined> {
      const address = url === undefined ? undefined : await canonicalUrl(url);
      return database.transaction(async (tables) => {
        const { webhooks } = tables.ownedBy(accountId);
        const current = await webhooks.endpoint(id);
        if (!current) return undefined;
        if (isOn === false) await tables.webhooks.switchOff(id, 'owner', clock.now());
        const row = await webhooks.change(id, {
          url: address ?? current.url,
          events: events ? listOf(events) : current.events,
          ...(isOn === true && { off_at: null, off_reason: null, notice: 0 }),
        });
        await tables.webhooks.noteEvents(accountId);
        return row;
      });
    },

    /** With its log. False when there is no such endpoint. */
    remove: (accountId: string, id: string): Promise<boolean> =>
      database.transaction(async (tables) => {
        const wasThere = await tables.ownedBy(accountId).webhooks.remove(id);
        if (wasThere) await tables.webhooks.noteEvents(accountId);
        return wasThere;
      }),

    /** Sends a delivery of the log once more, now. False when there is no such delivery. */
    async sendAgain(accountId: string, id: string): Promise<boolean> {
      const isThere = await database.transaction(async (tables) => {
        const { webhooks } = tables.ownedBy(accountId);
        const delivery = await webhooks.delivery(id);
        if (!delivery) return false;
        if (delivery.state === 'waiting') throw invalid('delivery', 'is waiting to be sent already');
        if (delivery.attempts >= maxSends)
          throw invalid('delivery', `was sent ${maxSends} times; that is the most`);
        if (!(await webhooks.sendAgain(id, clock.now())))
          throw invalid('delivery', 'its endpoint is off; switch it on first');
        return true;
      });
      if (isThere) wake();
      return isThere;
    },
  };
}

const newEndpoint = (
  account_id: string,
  url: string,
  events: readonly WebhookEvent[],
  created_at: number,
): WebhookEndpointRow => ({
  id: newId(),
  account_id,
  url,
  events: listOf(events),
  created_at,
  off_at: null,
  off_reason: null,
  notice: 0,
  waiting: 0,
  next_at: null,
  leased_until: 0,
});

/** In the order of the contract, each once. */
const listOf = (events: readonly WebhookEvent[]): string =>
  webhookEvents.filter((event) => events.includes(event)).join(',');
