// Makes what webhooks say of a render that succeeded, when it is sent: its receipt, as `GET` shows it. v2 2.
import type { Database } from '#storage/database.ts';
import { asHit, type StoredRender, toStoredRender } from '#renders/stored-render.ts';
import { isShownAsText } from '#renders/keep-outputs.ts';
import { withFailures } from '#renders/put-outputs.ts';
import type { Warning } from '#browser/browser.ts';
import type { RenderHistory } from '#renders/render-history.ts';

/** Texts that make a message larger are left to their URLs. */
const maxMessageBytes = 256 * 1024;

/** What is recorded with the id of the render. */
export interface RenderChanges {
  /** What the receipt of a hit has of its own. */
  hit?: {
    reference: string | null;
    /** The addresses of this render that its files could not be sent to. */
    failures: Warning[];
  };
  /** The receipt without its files and warnings, for a render that is deleted before its message is sent. */
  ifDeleted: object;
}

export function createRenderMessages(parts: {
  database: Database;
  renderHistory: Pick<RenderHistory, 'withTexts'>;
  describe: (render: StoredRender) => object;
}) {
  const { database, renderHistory, describe } = parts;

  return async (accountId: string, id: string, { hit, ifDeleted }: RenderChanges): Promise<object> => {
    const row = await database.tables.renders.byId(id);
    if (row?.account_id !== accountId) return ifDeleted;
    const render = toStoredRender(row);
    const page = render.page && hit ? withFailures(render.page, hit.failures) : render.page;
    const own = hit ? { ...render, ...asHit, page, reference: hit.reference } : render;
    const textBytes = own.outputs
      .filter(({ isHosted, format, sizeBytes }) => isHosted && isShownAsText(format, sizeBytes))
      .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (textBytes > 0 && textBytes <= maxMessageBytes) {
      const message = describe(await renderHistory.withTexts(own));
      if (Buffer.byteLength(JSON.stringify(message)) <= maxMessageBytes) return message;
    }
    return describe(own);
  };
}
