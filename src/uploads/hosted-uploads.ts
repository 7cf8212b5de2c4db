// Stored uploads: finds one that still resolves, deletes by token, and frees the space of deleted and expired ones. Spec 3.
import type { Clock } from '#core/clock.ts';
import { hashSecret, isName, sameHash } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { resolves } from '#core/resolves.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database, Tables } from '#storage/database.ts';
import { deleteBlobs, purgeOwned, sweepOrphans } from '#storage/free-blobs.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { Plan } from '#accounts/plans.ts';
import { listensTo, recordEvents, type Listener } from '#delivery/events.ts';
import { changedExpiry } from '#uploads/expiry.ts';
import type { Access, UploadAccess } from '#uploads/upload-access.ts';
import type { UploadEvents } from '#uploads/upload-events.ts';

/** Rows deleted per statement. Small, because other writers wait for it. */
const sweepBatch = 64;

export type HostedUploads = ReturnType<typeof createHostedUploads>;

/** An upload and what its owner's webhooks are told of. */
export type OwnedUpload = UploadRow & { owner_webhook_events: string };

export function createHostedUploads(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  events: UploadEvents;
  access: Pick<UploadAccess, 'decide'>;
}) {
  const { database, clock, events, access } = parts;
  const { uploads } = database.tables;
  const { free, ...deleted } = createDeleted(parts);

  const bySlugIf =
    (wanted: Access) =>
    async (slug: string, ticket?: string): Promise<UploadRow | undefined> => {
      const upload = isName(slug) ? await uploads.bySlug(slug) : undefined;
      return upload && access.decide(upload, ticket) === wanted ? upload : undefined;
    };

  /** The upload that this delete token belongs to. Its holder need not see the picture, so used-up views do not matter. */
  async function byDeleteToken(id: string, token: string): Promise<OwnedUpload | undefined> {
    const upload = isName(id) ? await uploads.byId(id) : undefined;
    const isRight = sameHash(hashSecret(token), upload?.delete_token_hash ?? hashSecret(''));
    return upload && isRight && resolves(upload, clock.now()) ? upload : undefined;
  }

  return {
    /** What the holder of the ticket may see. */
    bySlug: bySlugIf('open'),
    /** What a visitor must ask for first. */
    lockedBySlug: bySlugIf('locked'),
    byDeleteToken,

    /** Marks the row first, so that the link stops resolving at once; a blob that cannot be deleted now is left to the sweep. */
    async delete(upload: OwnedUpload): Promise<boolean> {
      const { id, account_id: accountId, owner_webhook_events: webhookEvents } = upload;
      const [gone] = await reported(
        { accountId, webhookEvents },
        async () => [upload],
        async (tables) => ((await tables.uploads.markDeleted(id, clock.now())) ? [id] : []),
      );
      if (gone !== undefined) await free([id]).catch(() => {});
      return gone !== undefined;
    },

    /**
     * Deletes uploads of the account; returns the ids that were not deleted before. They stop resolving at once, and the account
     * can restore them for seven days.
     */
    deleteOwned: (owner: Listener, ids: string[]): Promise<string[]> =>
      reported(
        owner,
        (tables) => tables.ownedBy(owner.accountId).uploads.byIds(ids, clock.now()),
        (tables) =>
          tables.ownedBy(owner.accountId).uploads.markDeleted(ids, clock.now() + limits.restorableMs),
      ),

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
          const expiresAt = changedExpiry(plan, expiresInSeconds, created_at, now);
          const row = await owned.change(id, { expires_at: expiresAt });
          if (row) changed.push(row);
        }
        return changed;
      }),

    ...deleted,
  };

  /** A deletion and what webhooks say of it are one transaction; if nobody listens, one statement is enough. */
  async function reported(
    owner: Listener,
    find: (tables: Tables) => Promise<UploadRow[]>,
    mark: (tables: Tables) => Promise<string[]>,
  ): Promise<string[]> {
    if (!listensTo(owner, 'upload.deleted')) return mark(database.tables);
    const gone = await database.transaction(async (tables) => {
      const rows = await find(tables);
      const marked = await mark(tables);
      const things = rows.filter(({ id }) => marked.includes(id)).map(events.describe);
      await recordEvents(tables, owner, 'upload.deleted', things, clock.now());
      return marked;
    });
    events.wake();
    return gone;
  }
}

/** Deleted uploads: they are restored, or their space is freed. */
function createDeleted({ database, blobs, clock }: { database: Database; blobs: Blobs; clock: Clock }) {
  const { uploads } = database.tables;

  async function free(ids: string[]): Promise<number> {
    const gone = await deleteBlobs(blobs, ids, uploads.keysOf);
    if (gone.length > 0) await uploads.purge(gone);
    return gone.length;
  }

  return {
    free,

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
      purgeOwned(blobs, database.tables.ownedBy(accountId).uploads.ids, uploads.purge, uploads.keysOf),

    /** Frees the space of deleted and expired uploads; returns their number. */
    async sweep(): Promise<number> {
      let freed = 0;
      for (;;) {
        const gone = await free(await uploads.dead(clock.now(), sweepBatch));
        freed += gone;
        if (gone < sweepBatch) return freed;
      }
    },

    sweepOrphans: (): Promise<number> => sweepOrphans(blobs, uploads.existingKeys, clock.now()),
  };
}
