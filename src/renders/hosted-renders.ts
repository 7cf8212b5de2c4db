// Hosted renders: finds an output that still resolves, deletes renders, and frees the space of deleted and expired ones. Spec 2.3, 2.4.
import type { Clock } from '#core/clock.ts';
import { parseOutputKey } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { resolves } from '#core/resolves.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderRow } from '#storage/schema.ts';
import { deleteBlobs, purgeOwned, sweepOrphans } from '#storage/free-blobs.ts';
import type { Plan } from '#accounts/plans.ts';
import { newExpiry } from '#uploads/expiry.ts';
import { outputsOf, type StoredOutput } from '#renders/stored-render.ts';

const sweepBatch = 200;
/** How long renders that are not hosted stay in the history. */
const historyMs = 90 * 24 * 60 * 60 * 1000;

/** One output that a hosted URL shows. */
export interface HostedOutput {
  render: RenderRow;
  output: StoredOutput;
}

export type HostedRenders = ReturnType<typeof createHostedRenders>;

export function createHostedRenders(parts: { database: Database; blobs: Blobs; clock: Clock }) {
  const { database, blobs, clock } = parts;
  const { renders } = database.tables;

  async function free(ids: string[], historyBefore: number): Promise<number> {
    const gone = await deleteBlobs(blobs, ids, renders.keysOf);
    if (gone.length > 0) await renders.retire(gone, clock.now(), historyBefore);
    return gone.length;
  }

  /** Marks renders of the account that have ended as deleted, `restorableMs` before that is final. */
  async function markDeleted(accountId: string, ids: string[], restorableMs: number): Promise<string[]> {
    const pending = await database.tables.renderJobs.existing(ids);
    const ended = ids.filter((id) => !pending.has(id));
    if (ended.length === 0) return [];
    return database.tables.ownedBy(accountId).renders.markDeleted(ended, clock.now() + restorableMs);
  }

  return {
    /** The output that has this id, if its render still resolves. */
    async byId(outputId: string): Promise<HostedOutput | undefined> {
      const key = parseOutputKey(outputId);
      const render = key && (await renders.byId(key.id));
      if (render?.hosted !== 1 || !resolves(render, clock.now())) return undefined;
      const output = outputsOf(render)[key?.place ?? 0];
      return output && { render, output };
    },

    /**
     * Hosts a render whose bytes are kept, for as long as a new one; undefined if they are not. One that is hosted stays as it is, unless
     * it is hosted for a request (`isExtended`), which gets what it asked for.
     */
    async host(
      accountId: string,
      plan: Plan,
      id: string,
      { expiresInSeconds, isExtended = false }: { expiresInSeconds?: number; isExtended?: boolean } = {},
    ): Promise<RenderRow | undefined> {
      const { renders: own } = database.tables.ownedBy(accountId);
      const now = clock.now();
      const expiresAt = newExpiry(plan, expiresInSeconds, now);
      await own.host(id, now, { expiresAt, latest: newExpiry(plan, undefined, now) });
      if (isExtended) await own.extend(id, now, expiresAt);
      const row = await own.byId(id, now);
      return row?.hosted === 1 ? row : undefined;
    },

    /** Deletes renders of the account that have ended; returns their ids. Bytes that cannot be deleted now are left to the sweep. */
    async deleteOwned(accountId: string, ids: string[]): Promise<string[]> {
      const deleted = await markDeleted(accountId, ids, 0);
      await free(deleted, 0).catch(() => {});
      return deleted;
    },

    /** The same, but the account can restore them for seven days; until then they resolve no more. */
    binOwned: (accountId: string, ids: string[]): Promise<string[]> =>
      markDeleted(accountId, ids, limits.restorableMs),

    /** Undoes `binOwned`; the old links work again. Returns the ids for which it was not too late. */
    restoreOwned: (accountId: string, ids: string[]): Promise<string[]> =>
      database.tables.ownedBy(accountId).renders.restore(ids, clock.now()),

    /** Makes `binOwned` final. */
    async purgeDeleted(accountId: string, ids: string[]): Promise<string[]> {
      const gone = await database.tables.ownedBy(accountId).renders.purgeNow(ids, clock.now());
      await free(gone, 0).catch(() => {});
      return gone;
    },

    /** Permanently deletes every render of an account. */
    purgeAccount: (accountId: string): Promise<void> =>
      purgeOwned(blobs, database.tables.ownedBy(accountId).renders.ids, renders.purge, renders.keysOf),

    async sweep(): Promise<number> {
      const historyBefore = clock.now() - historyMs;
      let freed = 0;
      for (;;) {
        const gone = await free(await renders.dead(clock.now(), historyBefore, sweepBatch), historyBefore);
        freed += gone;
        if (gone < sweepBatch) return freed;
      }
    },

    sweepOrphans: (): Promise<number> => sweepOrphans(blobs, renders.existingKeys, clock.now()),
  };
}
