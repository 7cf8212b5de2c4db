// What webhooks say of a render: its receipt, as `GET` shows it. v2 2.
import type { Tables } from '#storage/database.ts';
import type { WebhookEvent } from '#storage/schema.ts';
import { listensTo, recordEvents, recordForUrl, type Listener } from '#delivery/events.ts';
import type { StoredRender } from '#renders/stored-render.ts';

/** Each endpoint gets a row with the message, and each attempt sends it, so texts that make it larger are left to their URLs. */
const maxMessageBytes = 256 * 1024;

export type RenderEvents = ReturnType<typeof createRenderEvents>;

const eventOf = ({ failure }: StoredRender): WebhookEvent => (failure ? 'render.failed' : 'render.succeeded');

export function createRenderEvents(parts: { describe: (render: StoredRender) => object; wake: () => void }) {
  const { describe, wake } = parts;

  function messageOf(render: StoredRender): object {
    const textBytes = render.outputs.reduce((sum, { text, sizeBytes }) => sum + (text ? sizeBytes : 0), 0);
    if (textBytes === 0) return describe(render);
    if (textBytes <= maxMessageBytes) {
      const message = describe(render);
      if (Buffer.byteLength(JSON.stringify(message)) <= maxMessageBytes) return message;
    }
    return describe({ ...render, outputs: render.outputs.map((output) => ({ ...output, text: null })) });
  }

  return {
    /** Runs in the transaction that writes the render down. */
    async record(tables: Tables, payer: Listener, render: StoredRender, now: number): Promise<void> {
      const event = eventOf(render);
      if (listensTo(payer, event)) await recordEvents(tables, payer, event, [messageOf(render)], now);
    },
    /** The same for the URL that came with it. */
    recordForUrl: (
      tables: Tables,
      accountId: string,
      { url, render, now }: { url: string; render: StoredRender; now: number },
    ): Promise<void> =>
      recordForUrl(tables, accountId, { url, event: eventOf(render), data: messageOf(render), now }),
    /** After its commit. */
    wake({ webhookEvents }: Pick<Listener, 'webhookEvents'>): void {
      if (webhookEvents !== '') wake();
    },
    wakeForUrl: wake,
  };
}
