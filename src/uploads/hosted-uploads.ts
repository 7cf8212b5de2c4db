// Uploads after they are stored: finding one that still resolves, deleting by token, and freeing the space of the dead.
// Spec 3.
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

/** So many rows go in one statement, which everyone else waits for. */
const sweepBatch = 64;

export type HostedUploads = ReturnType<typeof createHostedUploads>;

export function createHostedUploads({
  database,
  blobs,
  clock,
}: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
}) {
  const { uploads } = database.tables;

  async function bySlug(slug: string): Promise<UploadRow | undefined> {
    const upload = isName(slug) ? await uploads.bySlug(slug) : undefined;
    return upload && resolves(upload, clock.now()) ? upload : undefined;
  }

  /** The upload that this delete token opens. */
  async function byDeleteToken(id: string, token: string): Promise<UploadRow | undefined> {
    const upload = isName(id) ? await uploads.byId(id) : undefined;
    const isRight = sameHash(hashSecret(token), upload?.delete_token_hash ?? hashSecret(''));
    return upload && isRight && resolves(upload, clock.now()) ? upload : undefined;
  }

  return {
    bySlug,
    byDeleteToken,
    openBlob: blobs.open,
    readSmallBlob: blobs.readSmall,
    signedUrl: blobs.signedUrl,

    /** The row dies first, so it stops resolving at once; a blob that cannot go now is left to the sweep. */
    async delete(id: string): Promise<boolean> {
      const wasDeleted = await uploads.markDeleted(id, clock.now());
      if (wasDeleted) await free([id]).catch(() => {});
      return wasDeleted;
    },

    /**
     * Deletes those of the account's uploads; returns the ids of those that were alive. They stop resolving at once, and for
     * a while the account can have them back.
     */
    deleteOwned: (accountId: string, ids: string[]): Promise<string[]> =>
      database.tables.ownedBy(accountId).uploads.markDeleted(ids, clock.now() + limits.restorableMs),

    /**
     * Changes when uploads of the account end; returns those that were alive. Null is for no end, as far as the plan allows.
     */
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

    /** Takes deletions back, links and all; returns the ids of those for which it was not too late. */
    restoreOwned: (accountId: string, ids: string[]): Promise<string[]> =>
      database.tables.ownedBy(accountId).uploads.restore(ids, clock.now()),

    /** Deletes for good what the account has deleted. */
    async purgeDeleted(accountId: string, ids: string[]): Promise<string[]> {
      const gone = await database.tables.ownedBy(accountId).uploads.purgeNow(ids, clock.now());
      await free(gone).catch(() => {});
      return gone;
    },

    /** Deletes every upload of an account, for good. */
    purgeAccount: (accountId: string): Promise<void> =>
      purgeOwned(blobs, database.tables.ownedBy(accountId).uploads.ids, uploads.purge),

    /** Frees the space of deleted and expired uploads; returns how many. */
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
