// The uploads of an account, as its own keys read, change and delete them. v2 3.
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { isId } from '#core/ids.ts';
import type { Database, Tables } from '#storage/database.ts';
import { nextCursor, pageOptions } from '#storage/owned/cursor.ts';
import type { ChangedUpload, UploadFilter } from '#storage/owned/uploads.ts';
import type { UploadRow } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { Plan } from '#accounts/plans.ts';
import { joinAlbum } from '#uploads/albums.ts';
import { changedExpiry } from '#uploads/expiry.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import type { HostedUploads } from '#uploads/hosted-uploads.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { maxTags, tagOf, tagsOf, titleOf } from '#uploads/labels.ts';
import type { UploadPasswords } from '#uploads/upload-passwords.ts';

export interface LibraryQuery extends Pick<UploadFilter, 'search' | 'tag' | 'sha256' | 'since' | 'before'> {
  /** The id of an album. */
  album?: string | undefined;
  limit: number;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

/** What is left out stays as it is. */
export interface UploadChanges {
  filename?: string | undefined;
  /** Null for none. */
  title?: string | null | undefined;
  tags?: string[] | undefined;
  /** The id of an album; null for none. */
  album?: string | null | undefined;
  /** From now on; null for never, if the plan allows it. */
  expiresInSeconds?: number | null | undefined;
  /** Null for none. */
  password?: string | null | undefined;
  /** With the views that it has had; null for no limit. */
  maxViews?: number | null | undefined;
}

export type UploadLibrary = ReturnType<typeof createUploadLibrary>;

export function createUploadLibrary(parts: {
  database: Database;
  clock: Clock;
  hostedUploads: HostedUploads;
  passwords: UploadPasswords;
}) {
  const { database, clock, hostedUploads, passwords } = parts;

  /** Undefined if there is none, or if it was deleted or has expired. */
  async function find(accountId: string, id: string): Promise<UploadRow | undefined> {
    return isId(id) ? database.tables.ownedBy(accountId).uploads.byId(id, clock.now()) : undefined;
  }

  /** All of them or, if one cannot be changed, none. */
  const changeAll = (
    accountId: string,
    ids: string[],
    change: (tables: Tables, rows: UploadRow[]) => Promise<void>,
  ): Promise<string[]> =>
    database.transactionOf(accountId, async (tables) => {
      const rows = await tables.ownedBy(accountId).uploads.byIds(ids, clock.now());
      if (rows.length > 0) await change(tables, rows);
      return rows.map(({ id }) => id);
    });

  return {
    find,

    /** Newest first. Throws a `validation_error` if the cursor is not one. */
    async list(accountId: string, { limit, cursor, album, ...query }: LibraryQuery) {
      const owned = database.tables.ownedBy(accountId).uploads;
      const { tag, sha256 } = query;
      const filter: UploadFilter = {
        ...query,
        tag: tag === undefined ? undefined : tagOf(tag),
        albumId: album,
        sha256: sha256?.toLowerCase(),
      };
      const page = await owned.bounded(filter, pageOptions({ limit, cursor }));
      const rows = await owned.page(filter, page, clock.now());
      return { items: rows.slice(0, limit), nextCursor: nextCursor(rows, page) };
    },

    async edit(
      accountId: string,
      plan: Plan,
      id: string,
      changes: UploadChanges,
    ): Promise<UploadRow | undefined> {
      // Outside the transaction, in which others would wait for it.
      if (!(await find(accountId, id))) return undefined;
      const { password } = changes;
      const passwordHash =
        typeof password === 'string' ? await passwords.hash(accountId, password) : password;
      return database.transactionOf(accountId, async (tables) => {
        const owned = tables.ownedBy(accountId).uploads;
        const now = clock.now();
        const row = await owned.byId(id, now);
        if (!row) return undefined;
        const tags = changes.tags && tagsOf(changes.tags);
        const values = changedValues(row, plan, { ...changes, tags, passwordHash }, now);
        if (Object.keys(values).length === 0) return row;
        const { album } = changes;
        if (typeof album === 'string' && album !== row.album_id)
          await joinAlbum(tables, accountId, album, { count: 1, now });
        const changed = await owned.change(id, values);
        if (changed && tags) await owned.setTags(id, tags);
        return changed;
      });
    },

    /** Puts uploads into an album, or with null into none; returns the ids of those that are there. */
    move: (accountId: string, ids: string[], album: string | null): Promise<string[]> =>
      changeAll(accountId, ids, async (tables, rows) => {
        const owned = tables.ownedBy(accountId).uploads;
        const others = rows.filter(({ album_id }) => album_id !== album);
        if (album !== null)
          await joinAlbum(tables, accountId, album, { count: others.length, now: clock.now() });
        for (const { id } of others) await owned.change(id, { album_id: album });
      }),

    /** Adds a tag to uploads; returns the ids of those that are there. */
    tag: (accountId: string, ids: string[], text: string): Promise<string[]> =>
      changeAll(accountId, ids, async (tables, rows) => {
        const owned = tables.ownedBy(accountId).uploads;
        for (const row of rows) {
          const tags = withTag(row, text);
          await owned.change(row.id, { tags: JSON.stringify(tags) });
          await owned.setTags(row.id, tags);
        }
      }),

    /** It stops resolving at once, and can be restored for seven days. False if there is none. */
    async delete(owner: Caller, id: string): Promise<boolean> {
      const row = await find(owner.accountId, id);
      return row !== undefined && (await hostedUploads.deleteOwned(owner, [id])).length > 0;
    },

    /** Undefined if it was not deleted, or if it is too late. */
    async restore(accountId: string, id: string): Promise<UploadRow | undefined> {
      const [restored] = isId(id) ? await hostedUploads.restoreOwned(accountId, [id]) : [];
      return restored === undefined ? undefined : find(accountId, id);
    },
  };
}

function withTag({ filename, tags: before }: UploadRow, text: string): string[] {
  const tags = tagsOf([...(JSON.parse(before) as string[]), tagOf(text)]);
  if (tags.length > maxTags)
    throw invalid('tag', `${filename} has ${maxTags} tags, the most that an upload can have`);
  return tags;
}

function changedValues(
  row: UploadRow,
  plan: Plan,
  changes: UploadChanges & { passwordHash: string | null | undefined },
  now: number,
): ChangedUpload {
  const { filename, title, tags, album, expiresInSeconds, passwordHash, maxViews } = changes;
  return {
    ...(filename !== undefined && { filename: sanitizeFilename(filename, row.content_type as ImageType) }),
    ...(title !== undefined && { title: title === null ? null : titleOf(title) }),
    ...(tags && { tags: JSON.stringify(tags) }),
    ...(album !== undefined && { album_id: album }),
    ...(expiresInSeconds !== undefined && {
      expires_at: changedExpiry(plan, expiresInSeconds, row.created_at, now),
    }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(maxViews !== undefined && { max_views: checkedViews(row, maxViews) }),
  };
}

/** A limit can be reached, which ends the link, but not lie in the past. */
function checkedViews({ views }: UploadRow, max: number | null): number | null {
  if (max !== null && max < views)
    throw invalid('max_views', `must be at least ${views}, the views that the upload has had, or null`);
  return max;
}
