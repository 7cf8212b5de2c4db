// The one place that decides which rows a signed-in caller may touch. Every query here is bound to one account, and the
// dashboard's handlers get no other queries; what these do not find does not exist for that account.
import { sql, type Kysely } from 'kysely';
import { createOwnedAlbums } from '#storage/owned/albums.ts';
import { createOwnedKeys } from '#storage/owned/keys.ts';
import { createOwnedLinkKeys } from '#storage/owned/link-keys.ts';
import { createOwnedRenders } from '#storage/owned/renders.ts';
import { createOwnedRequests } from '#storage/owned/requests.ts';
import { createOwnedUploadLinks } from '#storage/owned/upload-links.ts';
import { createOwnedUploads } from '#storage/owned/uploads.ts';
import { createOwnedUsage } from '#storage/owned/usage.ts';
import { createOwnedWebhooks } from '#storage/owned/webhooks.ts';
import type { Schema } from '#storage/schema.ts';

export type Owned = ReturnType<typeof createOwned>;

export function createOwned(db: Kysely<Schema>, accountId: string) {
  return {
    accountId,
    uploads: createOwnedUploads(db, accountId),
    albums: createOwnedAlbums(db, accountId),
    uploadLinks: createOwnedUploadLinks(db, accountId),
    renders: createOwnedRenders(db, accountId),
    keys: createOwnedKeys(db, accountId),
    linkKeys: createOwnedLinkKeys(db, accountId),
    usage: createOwnedUsage(db, accountId),
    requests: createOwnedRequests(db, accountId),
    webhooks: createOwnedWebhooks(db, accountId),
    /** Makes other transactions that lock the same account wait until this one ends. */
    async lock(): Promise<void> {
      await db
        .updateTable('accounts')
        .set({ plan: sql`plan` })
        .where('id', '=', accountId)
        .execute();
    },
  };
}
