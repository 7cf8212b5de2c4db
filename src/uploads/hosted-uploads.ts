// Stored uploads: finds one that still resolves, deletes by token, and frees the space of deleted and expired ones. Spec 3.
import type { Clock } from '#core/clock.ts';
import { hashSecret, isName, sameHash } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { resolves } from '#core/resolves.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { deleteBlobs, purgeOwned, sweepOrphans } from '#storage/free-blobs.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { Plan } from '#accounts/plans.ts';
import { changedExpiry } from '#uploads/expiry.ts';

/** Rows deleted per statement. Small, because other writers wait for it. */
const sweepBatch = 64;

export type HostedUploads = ReturnType<typeof createHostedUploads>;

export function createHostedUploads(parts: { database: Database; blobs: Blobs; clock: Clock }) {
  const { database, blobs, clock } = parts;
  const { uploads } = database.tables;

  async function bySlug(slug: string): Promise<UploadRow | undefined> {
    const upload = isName(slug) ? await uploads.bySlug(slug) : undefined;
    return upload && resolves(upload, clock.now()) ? upload : undefined;
  }

  /** The upload that this delete token belongs to. */
  async function byDeleteToken(id: string, token: string): Promise<UploadRow | undefined> {
    const upload = isName(id) ? await uploads.byId(id) : undefined;
    const isRight = sameHash(hashSecret(token), upload?.delete_token_hash ?? hashSecret(''));
    return upload && isRight && resolves(upload, clock.now()) ? upload : undefined;
  }

  return {
    bySlug,
    byDeleteToken,

    /** Marks the row first, so that the link stops resolving at once; a blob that cannot be deleted now is left to the sweep. */
    async delete(id: string): Promise<boolean> {
      const wasDeleted = await uploads.markDeleted(id, clock.now());
      if (wasDeleted) await free([id]).catch(() => {});
      return wasDeleted;
    },

    /**
     * Deletes uploads of the account; returns the ids that were not deleted before. They stop resolving at once, and the account
     * can restore them for seven days.
     */
    deleteOwned: (accountId: string, ids: string[]): Promise<string[]> =>
      database.tables.ownedBy(accountId).uploads.markDeleted(ids, clock.now() + limits.restorableMs),

    /** Changes the expiry of uploads of the account; returns the rows that existed. Null means never, if the plan allows it. */
    changeExpiry: (
      accountId: string,
      plan: Plan,
      ids: string[],
      expiresInSeconds: number | null,
    ): Promise<UploadRow[]> =>
      database.transaction(async (tables) => {
        const owned = tables.ownedBy(accountId).uploads;
        const now = clock.now();
        const changed: UploadRow[] = [];
        for (const { id, created_at } of await owned.byIds(ids, now)) {
          const row = await owned.setExpiry(id, changedExpiry(plan, expiresInSeconds, created_at, now));
          if (row) changed.push(row);
        }
        return changed;
      }),

    /** Undoes deletions; the old links work again. Returns the ids for which it was not too late. */
    restoreOwned: (accountId: string, ids: string[]): Promise<string[]> =>
      database.tables.ownedBy(accountId).uploads.restore(ids, clock.now()),

    /** Makes deletions of the account permanent. */
    async purgeDeleted(accountId: string, ids: string[]): Promise<string[]> {
      const gone = await database.tables.ownedBy(accountId).uploads.purgeNow(ids, clock.now());
      await free(gone).catch(() => {});
      return gone;
    },

    /** Permanently deletes every upload of an account. */
    purgeAccount: (accountId: string): Promise<void> =>
      purgeOwned(blobs, database.tables.ownedBy(accountId).uploads.ids, uploads.purge),

    /** Frees the space of deleted and expired uploads; returns their number. */
    async sweep(): Promise<number> {
      let freed = 0;
      for (;;) {
        const gone = await free(await uploads.dead(clock.now(), sweepBatch));
        freed += gone;
        if (gone < sweepBatch) return freed;
      }
    },

    sweepOrphans: (): Promise<number> => sweepOrphans(blobs, uploads.existing, clock.now()),
  };

  async function free(ids: string[]): Promise<number> {
    const gone = await deleteBlobs(blobs, ids);
    if (gone.length > 0) await uploads.purge(gone);
    return gone.length;
  }
}
