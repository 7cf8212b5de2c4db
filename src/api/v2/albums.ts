// /api/v2/albums and below: make, list, read, change and delete albums. Spec 10.12.
import type { Database } from '#storage/database.ts';
import type { Album as StoredAlbum } from '#storage/owned/albums.ts';
import type { Albums } from '#uploads/albums.ts';
import { isoTime, isoTimeOrNull } from '#api/common-views.ts';
import { AlbumChanges, NewAlbum, PageQuery, type Album } from '#api/v2/album-schemas.ts';
import { changeHandler, createHandler, resourceHandlers } from '#api/v2/resource.ts';
import type { Idempotency } from '#http/idempotency.ts';
import { albumPath, filePath, type Addresses } from '#http/addresses.ts';

export interface AlbumsParts extends Addresses {
  database: Database;
  albums: Albums;
  idempotency: Idempotency;
}

export function albumHandlers(parts: AlbumsParts) {
  const { albums } = parts;
  const view = (album: StoredAlbum): Album => albumOf(parts, album);
  return {
    ...resourceHandlers({
      query: PageQuery,
      list: ({ accountId }, query: Parameters<Albums['list']>[1]) => albums.list(accountId, query),
      find: ({ accountId }, id) => albums.find(accountId, id),
      remove: ({ accountId }, id) => albums.delete(accountId, id),
      view,
    }),
    create: createHandler(parts, NewAlbum, async (tables, { accountId, plan }, { expires_in, ...given }) =>
      view(await albums.create(tables, accountId, plan, { ...given, expiresInSeconds: expires_in })),
    ),
    change: changeHandler(
      AlbumChanges,
      ({ accountId, plan }, id, { expires_in, ...changes }) =>
        albums.edit(accountId, plan, id, { ...changes, expiresInSeconds: expires_in }),
      view,
    ),
  };
}

const albumOf = ({ baseUrl, contentBaseUrl }: Addresses, album: StoredAlbum): Album => ({
  id: album.id,
  slug: album.slug,
  url: baseUrl + albumPath(album.slug),
  title: album.title,
  description: album.description,
  count: album.uploads,
  cover_url: album.cover_slug === null ? null : contentBaseUrl + filePath(album.cover_slug),
  created_at: isoTime(album.created_at),
  expires_at: isoTimeOrNull(album.expires_at),
});
