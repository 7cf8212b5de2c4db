// Sends the webhooks that are due. Each endpoint is a queue of its own: a machine leases one, sends what is due there for a few
// seconds, and lets it go, so a receiver that hangs delays only itself. A machine that dies keeps its leases for a minute; then
// another sends what it had not noted, perhaps a second time.
import type { Logger } from 'pino';
import type { Clock } from '#core/clock.ts';
import { createDueWork } from '#core/due-work.ts';
import { OutgoingFailure, type Outgoing } from '#wall/outgoing.ts';
import type { Database } from '#storage/database.ts';
import type { WebhookDeliveryRow } from '#storage/schema.ts';
import type { ClaimedQueue } from '#storage/tables/webhooks.ts';
import { maxWaiting, messageText } from '#delivery/events.ts';
import { nextAttemptAt } from '#delivery/retries.ts';
import { signedHeaders } from '#delivery/sign.ts';
import type { WebhookSecrets } from '#delivery/webhook-secrets.ts';

/** Queues that one machine sends from at once. */
const queuesAtOnce = 48;
/** Endpoints of one account served at once on all machines: the others wait for their turn. */
const queuesPerAccount = 2;
/** Sent to one receiver at once. */
const batch = 8;
/** No new batch begins after this; then the queue goes behind the others. */
const turnMs = 5_000;
/** Longer than a turn and the last exchange in it. */
const leaseMs = 60_000;
/** Deliveries of each endpoint that stay in the log after they have ended. */
const keptDeliveries = 500;

/** What a message says of a render. `changes` is what was recorded with its id. */
export type RenderMessage = (accountId: string, renderId: string, changes: unknown) => Promise<object>;

interface SenderParts {
  database: Database;
  renderMessage: RenderMessage;
  clock: Clock;
  outgoing: Outgoing;
  secrets: WebhookSecrets;
  log: Logger;
}

export function createWebhookSender(parts: SenderParts) {
  const { database, clock, secrets, log } = parts;
  const { webhooks } = database.tables;
  const stopped = new AbortController();
  const send = createExchange(parts, stopped.signal);
  const turns = createDueWork(async () => {
    if (turns.count() >= queuesAtOnce || stopped.signal.aborted) return undefined;
    const queue = await webhooks.claim(clock.now(), { leaseMs, perAccount: queuesPerAccount });
    return (
      queue &&
      (() => takeTurn(queue).catch((error: unknown) => log.error({ err: error }, 'webhooks were not sent')))
    );
  });

  async function takeTurn(queue: ClaimedQueue): Promise<void> {
    const until = performance.now() + turnMs;
    try {
      const signing = await secrets.of(queue.account_id);
      while (performance.now() < until && !stopped.signal.aborted) {
        const due = await webhooks.due(queue.id, clock.now(), batch);
        if (due.length === 0) return;
        const sent = await Promise.all(due.map((delivery) => attempt(queue, delivery, signing)));
        if (sent.includes('off')) return;
      }
    } finally {
      await release(queue);
    }
  }

  async function release({ id }: ClaimedQueue): Promise<void> {
    const left = await database.transaction(
      (tables) => tables.webhooks.release(id, { keep: keptDeliveries, now: clock.now() }),
      { durability: 'relaxed' },
    );
    if (left && left.waiting >= maxWaiting)
      await database.transaction((tables) => tables.webhooks.switchOff(id, 'crowded', clock.now()));
  }

  async function attempt(
    queue: ClaimedQueue,
    delivery: WebhookDeliveryRow,
    signing: readonly string[],
  ): Promise<'off' | void> {
    const { id } = delivery;
    const at = clock.now();
    const startedAt = performance.now();
    const outcome = await send(delivery, queue, signing, at);
    if (!outcome) return undefined;
    const isTaken = outcome.status !== null && outcome.status >= 200 && outcome.status < 300;
    const number = delivery.attempts + 1;
    const nextAt = isTaken ? null : nextAttemptAt(number, clock.now());
    const state = isTaken ? 'delivered' : nextAt === null ? 'failed' : 'waiting';
    const noted = {
      ...outcome,
      delivery_id: id,
      number,
      at,
      duration_ms: Math.round(performance.now() - startedAt),
    };
    return database.transaction(
      async (tables) => {
        const isNoted = await tables.webhooks.noteAttempt(noted, { state, next_at: nextAt });
        if (!isNoted || state !== 'failed') return undefined;
        // One message that the receiver cannot take is no reason to stop; a whole day without any is.
        if (await tables.webhooks.hasTaken(queue.id, delivery.created_at)) return undefined;
        return (await tables.webhooks.switchOff(queue.id, 'failing', clock.now())) ? 'off' : undefined;
      },
      { durability: 'relaxed' },
    );
  }

  return {
    wake: turns.wake,
    sendDue: turns.beginDue,
    /** At the start of a single machine: leases from before it are over. */
    forgetLeases: (): Promise<void> => webhooks.endLeases(),
    async close(): Promise<void> {
      stopped.abort(new Error('the service is stopping'));
      await turns.ended();
    },
  };
}

/** One message and what came of it. */
function createExchange({ renderMessage, outgoing, log }: SenderParts, stopped: AbortSignal) {
  return send;

  /** As it is signed. */
  async function bodyOf(delivery: WebhookDeliveryRow): Promise<string> {
    const { account_id, event, body, render_id, created_at } = delivery;
    if (render_id === null) return body;
    return messageText(event, created_at, await renderMessage(account_id, render_id, JSON.parse(body)));
  }

  /** Undefined if this process is stopping; then it was no attempt. */
  async function send(
    delivery: WebhookDeliveryRow,
    queue: ClaimedQueue,
    signing: readonly string[],
    at: number,
  ): Promise<{ status: number; failure: null } | { status: null; failure: string } | undefined> {
    try {
      const body = await bodyOf(delivery);
      const status = await outgoing.send({
        way: delivery.url === null ? 'webhook' : 'webhookUrl',
        url: delivery.url ?? queue.url ?? '',
        contentType: 'application/json',
        headers: signedHeaders(delivery.id, body, signing, at),
        body: Buffer.from(body),
        signal: stopped,
      });
      return { status, failure: null };
    } catch (error) {
      if (stopped.aborted) return undefined;
      if (!(error instanceof OutgoingFailure)) log.error({ err: error }, 'a webhook could not be sent');
      return { status: null, failure: error instanceof OutgoingFailure ? error.kind : 'unreachable' };
    }
  }
}
