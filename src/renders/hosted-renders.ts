// Stored renders: finds one that still resolves, deletes, and frees the space of deleted and expired ones. Spec 2.3, 2.4.
import type { Clock } from '#core/clock.ts';
import { isName } from '#core/ids.ts';
import { resolves } from '#core/resolves.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderKind, RenderRow } from '#storage/schema.ts';
import { deleteBlobs, purgeOwned, sweepOrphans } from '#storage/free-blobs.ts';

const sweepBatch = 200;
/** How long renders that are not hosted stay in the history. */
const historyMs = 90 * 24 * 60 * 60 * 1000;

export function createHostedRenders(parts: { database: Database; blobs: Blobs; clock: Clock }) {
  const { database, blobs, clock } = parts;
  const { renders } = database.tables;

  async function free(ids: string[], historyBefore: number): Promise<number> {
    const gone = await deleteBlobs(blobs, ids);
    if (gone.length > 0) await renders.retire(gone, historyBefore);
    return gone.length;
  }

  return {
    async byId(id: string, kind: RenderKind): Promise<RenderRow | undefined> {
      const render = isName(id) ? await renders.byId(id) : undefined;
      const isShown = render?.hosted === 1 && render.kind === kind && resolves(render, clock.now());
      return isShown ? render : undefined;
    },

    /** Deletes renders of the account; returns the ids that existed. Bytes that cannot be deleted now are left to the sweep. */
    async deleteOwned(accountId: string, ids: string[]): Promise<string[]> {
      const deleted = await database.tables.ownedBy(accountId).renders.markDeleted(ids, clock.now());
      await free(deleted, 0).catch(() => {});
      return deleted;
    },

    /** Permanently deletes every render of an account. */
    purgeAccount: (accountId: string): Promise<void> =>
      purgeOwned(blobs, database.tables.ownedBy(accountId).renders.ids, renders.purge),

    async sweep(): Promise<number> {
      const historyBefore = clock.now() - historyMs;
      let freed = 0;
      for (;;) {
        const gone = await free(await renders.dead(clock.now(), historyBefore, sweepBatch), historyBefore);
        freed += gone;
        if (gone < sweepBatch) return freed;
      }
    },

    sweepOrphans: (): Promise<number> => sweepOrphans(blobs, renders.existing, clock.now()),
  };
}
