// Renders after they are stored: finding one that still resolves, and freeing the space of the dead. Spec 2.3, 2.4.
import type { Clock } from '#core/clock.ts';
import { isName } from '#core/ids.ts';
import { resolves } from '#core/resolves.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderKind, RenderRow } from '#storage/schema.ts';
import { deleteBlobs, sweepOrphans } from '#storage/free-blobs.ts';

const sweepBatch = 200;
/** How long renders that are not hosted stay in the history. */
const historyMs = 90 * 24 * 60 * 60 * 1000;

export type HostedRenders = ReturnType<typeof createHostedRenders>;

export function createHostedRenders({
  database,
  blobs,
  clock,
}: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
}) {
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
    openBlob: blobs.open,
    signedUrl: blobs.signedUrl,

    async delete(id: string): Promise<boolean> {
      const isMine = await renders.markDeleted(id, clock.now());
      if (isMine) await free([id], 0).catch(() => {});
      return isMine;
    },

    /** After rows were marked deleted elsewhere: what cannot go now is left to the sweep. */
    async freeDeleted(ids: string[]): Promise<void> {
      await free(ids, 0).catch(() => {});
    },

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
