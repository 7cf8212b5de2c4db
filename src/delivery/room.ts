// Wires the delivery room: what the service sends to others by itself, and what they are told.
import type { Logger } from 'pino';
import { hours, seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import { createOutgoing } from '#wall/outgoing.ts';
import type { Wall } from '#wall/wall.ts';
import type { Database } from '#storage/database.ts';
import type { Mailer } from '#accounts/mailer.ts';
import { createTransfers } from '#delivery/transfers.ts';
import { createWebhookSender, type RenderMessage } from '#delivery/send-webhooks.ts';
import { createWebhookEndpoints } from '#delivery/webhook-endpoints.ts';
import { createWebhookNotices } from '#delivery/webhook-notices.ts';
import { createWebhookSecrets } from '#delivery/webhook-secrets.ts';

const keptMs = 30 * 24 * 60 * 60 * 1000;
const sweepBatch = 500;

export type DeliveryRoom = ReturnType<typeof createDeliveryRoom>;

export function createDeliveryRoom(parts: {
  database: Database;
  mailer: Mailer;
  wall: Wall;
  renderMessage: RenderMessage;
  baseUrl: string;
  clock: Clock;
  log: Logger;
}) {
  const { database, clock, wall } = parts;
  const outgoing = createOutgoing({ wall });
  const secrets = createWebhookSecrets(parts);
  const sender = createWebhookSender({ ...parts, outgoing, secrets });
  const notices = createWebhookNotices(parts);

  async function sweep(): Promise<void> {
    while (await database.tables.webhooks.purgeOlder(clock.now() - keptMs, sweepBatch));
  }

  const chores: Chore[] = [
    { name: 'webhooks', everyMs: seconds(1), run: sender.sendDue, onEveryMachine: true },
    { name: 'notices of endpoints', everyMs: seconds(30), run: notices.sendWaiting },
    { name: 'sweep of webhooks', everyMs: hours(1), run: sweep },
  ];
  return {
    transfers: createTransfers({ outgoing }),
    /** Checks the address of a file that is fetched. */
    checkUploadUrl: (text: string, field: string) => wall.check('upload', text, field),
    webhookSecrets: secrets,
    webhookEndpoints: createWebhookEndpoints({ database, clock, wall, secrets, wake: sender.wake }),
    wakeWebhooks: sender.wake,
    forgetLeases: sender.forgetLeases,
    chores,
    close: sender.close,
  };
}
