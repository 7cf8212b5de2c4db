// The renders of an account, as its own keys read and delete them. v2 2.
import type { Clock } from '#core/clock.ts';
import { isId } from '#core/ids.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderRow } from '#storage/schema.ts';
import { nextCursor, pageOptions } from '#storage/owned/cursor.ts';
import type { RenderFilter } from '#storage/owned/renders.ts';
import type { HostedRenders } from '#renders/hosted-renders.ts';
import { isShownAsText } from '#renders/keep-outputs.ts';
import { requireStorable } from '#renders/render-request.ts';
import { toStoredRender, type StoredOutput, type StoredRender } from '#renders/stored-render.ts';

export interface HistoryQuery extends Pick<RenderFilter, 'reference' | 'state' | 'since' | 'before'> {
  limit: number;
  /** The `nextCursor` of the page before. */
  cursor: string | undefined;
}

export interface HistoryPage {
  items: StoredRender[];
  nextCursor: string | null;
}

export type RenderHistory = ReturnType<typeof createRenderHistory>;

export function createRenderHistory(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  hostedRenders: HostedRenders;
}) {
  const { database, blobs, clock, hostedRenders } = parts;
  const owned = (accountId: string) => database.tables.ownedBy(accountId).renders;

  async function withText(output: StoredOutput): Promise<StoredOutput> {
    if (!output.isHosted || !isShownAsText(output.format, output.sizeBytes)) return output;
    return { ...output, text: (await readBlob(blobs, output.id))?.toString() ?? null };
  }

  /** Those of the renders that wait for their turn. */
  async function queuedOf(rows: RenderRow[]): Promise<Set<string>> {
    const pending = rows.filter(({ state }) => state === 'pending').map(({ id }) => id);
    return pending.length === 0 ? new Set() : database.tables.renderJobs.queued(pending, clock.now());
  }

  const withTexts = async (render: StoredRender): Promise<StoredRender> => ({
    ...render,
    outputs: await Promise.all(render.outputs.map(withText)),
  });

  return {
    queuedOf,
    withTexts,

    /** With the text of its extracts. Undefined if there is none, or if it was deleted or has expired. */
    async find(accountId: string, id: string): Promise<StoredRender | undefined> {
      const row = isId(id) ? await owned(accountId).byId(id, clock.now()) : undefined;
      if (!row) return undefined;
      return withTexts(toStoredRender(row, await queuedOf([row])));
    },

    /** Newest first. Throws a `validation_error` if the cursor is not one. */
    async list(accountId: string, { limit, cursor, ...filter }: HistoryQuery): Promise<HistoryPage> {
      requireStorable({ reference: filter.reference ?? null });
      const page = pageOptions({ limit, cursor });
      const rows = await owned(accountId).page(filter, page, clock.now());
      const shown = rows.slice(0, limit);
      const queued = await queuedOf(shown);
      return {
        items: shown.map((row) => toStoredRender(row, queued)),
        nextCursor: nextCursor(rows, page),
      };
    },

    /** False if there is none, or if it was deleted or has expired. Bytes that cannot be deleted now are left to the sweep. */
    async delete(accountId: string, id: string): Promise<boolean> {
      const row = isId(id) ? await owned(accountId).byId(id, clock.now()) : undefined;
      return row !== undefined && (await hostedRenders.deleteOwned(accountId, [id])).length > 0;
    },
  };
}
