// Albums: one link for many uploads. An album only refers to its uploads: they stay when it is deleted or expires. v2 3.
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { isId, isName, newId, newSlug } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { resolves } from '#core/resolves.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { Album, ChangedAlbum } from '#storage/owned/albums.ts';
import { nextCursor, pageOptions } from '#storage/owned/cursor.ts';
import type { Cursor, PageOptions } from '#storage/owned/page.ts';
import type { AlbumRow } from '#storage/schema.ts';
import type { ResolvedUpload } from '#storage/tables/albums.ts';
import type { StoredTotals } from '#storage/tables/stored.ts';
import type { Plan } from '#accounts/plans.ts';
import { changedExpiry, newExpiry } from '#uploads/expiry.ts';
import { descriptionOf, titleOf } from '#uploads/labels.ts';

/** Rows deleted per statement. Small, because other writers wait for it. */
const sweepBatch = 64;
/** Rows read at a time of an album that is read whole, and how long they are used: what is deleted meanwhile is left out after that. */
const rowsAtOnce = 100;
const rowsLastMs = 1_000;

export interface NewAlbum {
  title?: string | undefined;
  description?: string | undefined;
  expiresInSeconds: number | undefined;
}

/** What is left out stays as it is. */
export interface AlbumChanges {
  title?: string | null | undefined;
  description?: string | null | undefined;
  /** From now on; null for never, if the plan allows it. */
  expiresInSeconds?: number | null | undefined;
}

export type Albums = ReturnType<typeof createAlbums>;

export function createAlbums({ database, clock }: { database: Database; clock: Clock }) {
  const { albums } = database.tables;

  /** Those that still resolve, in the order in which they were stored. */
  const uploadsIn = (albumId: string, page: PageOptions): Promise<ResolvedUpload[]> =>
    albums.uploadsIn(albumId, page, clock.now());

  return {
    /** Undefined if there is none, or if it has expired. */
    find: async (accountId: string, id: string): Promise<Album | undefined> =>
      isId(id) ? database.tables.ownedBy(accountId).albums.byId(id, clock.now()) : undefined,

    /** Newest first. Throws a `validation_error` if the cursor is not one. */
    async list(accountId: string, query: { limit: number; cursor: string | undefined }) {
      const page = pageOptions(query);
      const rows = await database.tables.ownedBy(accountId).albums.page(page, clock.now());
      return { items: rows.slice(0, query.limit), nextCursor: nextCursor(rows, page) };
    },

    /** In the caller's transaction, with which its response is remembered. */
    async create(tables: Tables, accountId: string, plan: Plan, given: NewAlbum): Promise<Album> {
      const owned = tables.ownedBy(accountId);
      await owned.lock();
      if ((await owned.albums.count()) >= limits.albumsPerAccount)
        throw invalid('body', `an account has at most ${limits.albumsPerAccount} albums; delete one first`);
      const now = clock.now();
      const row: AlbumRow = {
        id: newId(),
        slug: newSlug(),
        account_id: accountId,
        title: given.title === undefined ? null : titleOf(given.title),
        description: given.description === undefined ? null : descriptionOf(given.description),
        created_at: now,
        expires_at: newExpiry(plan, given.expiresInSeconds, now),
      };
      while (!(await owned.albums.insert(row))) row.slug = newSlug();
      return { ...row, uploads: 0, cover_slug: null };
    },

    async edit(accountId: string, plan: Plan, id: string, changes: AlbumChanges): Promise<Album | undefined> {
      if (!isId(id)) return undefined;
      return database.transaction(async (tables) => {
        const owned = tables.ownedBy(accountId).albums;
        const now = clock.now();
        const album = await owned.byId(id, now);
        if (!album) return undefined;
        const values = changedValues(album, plan, changes, now);
        if (Object.keys(values).length > 0) await owned.change(id, values);
        return { ...album, ...values };
      });
    },

    /** Its uploads stay, in no album. False if there is none. */
    delete: async (accountId: string, id: string): Promise<boolean> =>
      isId(id) && database.tables.ownedBy(accountId).albums.remove(id, clock.now()),

    async bySlug(slug: string): Promise<AlbumRow | undefined> {
      const album = isName(slug) ? await albums.bySlug(slug) : undefined;
      return album && resolves({ ...album, deleted_at: null }, clock.now()) ? album : undefined;
    },

    uploadsIn,
    totals: (albumId: string): Promise<StoredTotals> => albums.totals(albumId, clock.now()),

    /** All of them, read as they are needed. */
    async *everyUploadIn(albumId: string): AsyncGenerator<ResolvedUpload> {
      let after: Cursor | undefined;
      for (;;) {
        const rows = await uploadsIn(albumId, { after, limit: rowsAtOnce });
        const readAt = clock.now();
        for (const row of rows) {
          if (clock.now() - readAt > rowsLastMs) break;
          yield row;
          after = { createdAt: row.created_at, id: row.id };
        }
        const last = rows.at(-1);
        if (!last || (last.id === after?.id && rows.length < rowsAtOnce)) return;
      }
    },

    async sweep(): Promise<void> {
      while ((await albums.purgeExpired(clock.now(), sweepBatch)) === sweepBatch);
    },
  };
}

/** Before rows with this album are written: the album must be there, and have room. Throws a `validation_error`. */
export async function joinAlbum(
  tables: Tables,
  accountId: string,
  albumId: string,
  { count, now }: { count: number; now: number },
): Promise<void> {
  const { albums } = tables.ownedBy(accountId);
  if (!isId(albumId) || !(await albums.hold(albumId, now)))
    throw invalid('album', 'there is no such album; send the id of one of /api/v2/albums');
  if ((await albums.size(albumId)) + count > limits.uploadsPerAlbum)
    throw invalid('album', `is full; an album has at most ${limits.uploadsPerAlbum} uploads`);
}

function changedValues(album: AlbumRow, plan: Plan, changes: AlbumChanges, now: number): ChangedAlbum {
  const { title, description, expiresInSeconds } = changes;
  return {
    ...(title !== undefined && { title: title === null ? null : titleOf(title) }),
    ...(description !== undefined && {
      description: description === null ? null : descriptionOf(description),
    }),
    ...(expiresInSeconds !== undefined && {
      expires_at: changedExpiry(plan, expiresInSeconds, album.created_at, now),
    }),
  };
}
