// Renders after they are stored: finding one that still resolves, and freeing the space of the dead. Spec 2.3, 2.4.
import type { Clock } from '#core/clock.ts';
import { resolves } from '#core/resolves.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderKind, RenderRow } from '#storage/schema.ts';
import { sweepOrphans } from '#storage/sweep-orphans.ts';

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

  async function free(ids: string[], historyBefore: number): Promise<void> {
    if (ids.length === 0) return;
    await Promise.all(ids.map((id) => blobs.delete(id)));
    await renders.retire(ids, historyBefore);
  }

  return {
    async byId(id: string, kind: RenderKind): Promise<RenderRow | undefined> {
      const render = await renders.byId(id);
      const isShown = render?.hosted === 1 && render.kind === kind && resolves(render, clock.now());
      return isShown ? render : undefined;
    },
    openBlob: blobs.open,

    async delete(id: string): Promise<boolean> {
      const isMine = await renders.markDeleted(id, clock.now());
      if (isMine) await free([id], 0).catch(() => {});
      return isMine;
    },

    /** After rows were marked deleted elsewhere: what cannot go now is left to the sweep. */
    freeDeleted: (ids: string[]): Promise<void> => free(ids, 0).catch(() => {}),

    async sweep(): Promise<number> {
      const historyBefore = clock.now() - historyMs;
      let freed = 0;
      for (;;) {
        const ids = await renders.dead(clock.now(), historyBefore, sweepBatch);
        await free(ids, historyBefore);
        freed += ids.length;
        if (ids.length < sweepBatch) return freed;
      }
    },

    sweepOrphans: (): Promise<number> => sweepOrphans(blobs, renders.existing, clock.now()),
  };
}
