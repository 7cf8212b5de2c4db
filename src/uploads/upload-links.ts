// Upload links: others upload for an account, as many files as its owner allows and at the owner's expense. v2 3.
import type { Clock } from '#core/clock.ts';
import { invalid, ServiceError } from '#core/errors.ts';
import { hashSecret, isId, newId, newSecret } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Database, Tables } from '#storage/database.ts';
import { nextCursor, pageOptions } from '#storage/owned/cursor.ts';
import type { UploadLinkRow, UploadRow } from '#storage/schema.ts';
import type { LinkHolder } from '#storage/tables/upload-links.ts';
import { joinAlbum } from '#uploads/albums.ts';
import { titleOf } from '#uploads/labels.ts';

/** Rows deleted per statement. Small, because other writers wait for it. */
const sweepBatch = 64;

export interface NewUploadLink {
  title?: string | undefined;
  albumId?: string | undefined;
  maxFiles: number;
  maxBytes: number;
  expiresInSeconds: number;
}

export type UploadLinks = ReturnType<typeof createUploadLinks>;

export function createUploadLinks({ database, clock }: { database: Database; clock: Clock }) {
  const { uploadLinks } = database.tables;
  return {
    /** Undefined if there is none, or if it has expired. */
    find: async (accountId: string, id: string): Promise<UploadLinkRow | undefined> =>
      isId(id) ? database.tables.ownedBy(accountId).uploadLinks.byId(id, clock.now()) : undefined,

    /** Newest first. Throws a `validation_error` if the cursor is not one. */
    async list(accountId: string, query: { limit: number; cursor: string | undefined }) {
      const page = pageOptions(query);
      const rows = await database.tables.ownedBy(accountId).uploadLinks.page(page, clock.now());
      return { items: rows.slice(0, query.limit), nextCursor: nextCursor(rows, page) };
    },

    /** In the caller's transaction, with which its response is remembered. The token is known only now. */
    async create(
      tables: Tables,
      accountId: string,
      given: NewUploadLink,
    ): Promise<{ row: UploadLinkRow; token: string }> {
      const owned = tables.ownedBy(accountId);
      await owned.lock();
      const now = clock.now();
      if ((await owned.uploadLinks.count(now)) >= limits.uploadLinksPerAccount)
        throw invalid(
          'body',
          `an account has at most ${limits.uploadLinksPerAccount} upload links; delete one first`,
        );
      if (given.albumId !== undefined) await joinAlbum(tables, accountId, given.albumId, { count: 0, now });
      const token = newSecret();
      const row: UploadLinkRow = {
        id: newId(),
        account_id: accountId,
        token_hash: hashSecret(token),
        title: given.title === undefined ? null : titleOf(given.title),
        album_id: given.albumId ?? null,
        max_files: given.maxFiles,
        max_bytes: given.maxBytes,
        used_files: 0,
        used_bytes: 0,
        created_at: now,
        expires_at: now + given.expiresInSeconds * 1000,
      };
      await owned.uploadLinks.insert(row);
      return { row, token };
    },

    /** What was uploaded through it stays. False if there is none. */
    delete: async (accountId: string, id: string): Promise<boolean> =>
      isId(id) && database.tables.ownedBy(accountId).uploadLinks.remove(id, clock.now()),

    /** The link that this token belongs to, if it works and its account may upload. One that is used up is still found. */
    async byToken(token: string): Promise<LinkHolder | undefined> {
      const link = await uploadLinks.byTokenHash(hashSecret(token));
      if (!link || link.expires_at <= clock.now()) return undefined;
      return link.suspended === 0 && link.verified === 1 ? link : undefined;
    },

    /** Counts files in the transaction that stores them. Throws if the link does not take them all. */
    async take(tables: Tables, link: UploadLinkRow, rows: UploadRow[]): Promise<void> {
      for (const { size_bytes } of rows)
        if (!(await tables.uploadLinks.take(link.id, size_bytes, clock.now()))) throw linkUsedUp(link);
    },

    async sweep(): Promise<void> {
      while ((await uploadLinks.purgeExpired(clock.now(), sweepBatch)) === sweepBatch);
    },
  };
}

export const linkUsedUp = ({ max_files }: UploadLinkRow): ServiceError =>
  new ServiceError(
    'not_found',
    max_files === 1
      ? 'This upload link has had its file. Ask for another link to send more.'
      : `This upload link has had its ${max_files} files. Ask for another link to send more.`,
  );
