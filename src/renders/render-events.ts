// Records what webhooks say of a render. It succeeds with its id alone: the message is made when it is sent (render-messages.ts), so that a
// request that costs nothing leaves next to nothing in the database. What failed is short, and its row may be gone by then. v2 2.
import type { Tables } from '#storage/database.ts';
import type { WebhookEvent } from '#storage/schema.ts';
import { listensTo, recordContents, recordForUrl, type Content, type Listener } from '#delivery/events.ts';
import { failuresOfPuts } from '#renders/put-outputs.ts';
import type { RenderChanges } from '#renders/render-messages.ts';
import type { StoredRender } from '#renders/stored-render.ts';

export type RenderEvents = ReturnType<typeof createRenderEvents>;

const eventOf = ({ failure }: StoredRender): WebhookEvent => (failure ? 'render.failed' : 'render.succeeded');

export function createRenderEvents(parts: { describe: (render: StoredRender) => object; wake: () => void }) {
  const { describe, wake } = parts;

  function contentOf(render: StoredRender): Content {
    const { id, failure, isCached, reference, page } = render;
    if (failure) return { data: describe(render) };
    const changes: RenderChanges = {
      ...(isCached && { hit: { reference, failures: page ? failuresOfPuts(page) : [] } }),
      ifDeleted: describe({ ...render, outputs: [], page: null }),
    };
    return { renderId: id, changes };
  }

  return {
    /** Runs in the transaction that writes the render down. */
    async record(tables: Tables, payer: Listener, render: StoredRender, now: number): Promise<void> {
      const event = eventOf(render);
      if (listensTo(payer, event)) await recordContents(tables, payer, event, [contentOf(render)], now);
    },
    /** The same for the URL that came with it. */
    recordForUrl: (
      tables: Tables,
      accountId: string,
      { url, render, now }: { url: string; render: StoredRender; now: number },
    ): Promise<void> =>
      recordForUrl(tables, accountId, { url, event: eventOf(render), content: contentOf(render), now }),
    /** After its commit. */
    wake({ webhookEvents }: Pick<Listener, 'webhookEvents'>): void {
      if (webhookEvents !== '') wake();
    },
    wakeForUrl: wake,
  };
}
