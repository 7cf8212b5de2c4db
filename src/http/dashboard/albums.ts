// The pages of albums and of upload links.
import { notFound } from '#core/errors.ts';
import { albumOf } from '#http/api/v2/albums.ts';
import { uploadLinkOf } from '#http/api/v2/upload-links.ts';
import { found } from '#http/dashboard/errors.ts';
import type { DashboardParts, Handlers } from '#http/dashboard/serve.ts';

export function albumsHandlers({ database, settings, accounts, uploads }: DashboardParts) {
  const { albums, uploadLinks } = uploads;
  const { plans } = accounts;
  return {
    async 'GET /albums'({ owned, query: { limit = 0, cursor } }) {
      const { items, nextCursor } = await albums.list(owned.accountId, { limit, cursor });
      return { items: items.map((row) => albumOf(settings, row)), next_cursor: nextCursor };
    },
    async 'POST /albums'({ owned, person, body: { expires_in, ...given } }) {
      const plan = plans.of(person.account);
      const row = await database.transactionOf(owned.accountId, (tables) =>
        albums.create(tables, owned.accountId, plan, { ...given, expiresInSeconds: expires_in }),
      );
      return albumOf(settings, row);
    },
    async 'PATCH /albums/:id'({ owned, person, id, body: { expires_in, ...changes } }) {
      const plan = plans.of(person.account);
      const row = await albums.edit(owned.accountId, plan, id, { ...changes, expiresInSeconds: expires_in });
      return albumOf(settings, found(row));
    },
    async 'DELETE /albums/:id'({ owned, id }) {
      if (!(await albums.delete(owned.accountId, id))) throw notFound();
      return { deleted: id };
    },
    async 'GET /upload-links'({ owned, query: { limit = 0, cursor } }) {
      const { items, nextCursor } = await uploadLinks.list(owned.accountId, { limit, cursor });
      return { items: items.map((row) => uploadLinkOf(settings, row)), next_cursor: nextCursor };
    },
    async 'POST /upload-links'({ owned, body }) {
      const { title, album, max_files = 0, max_bytes = 0, expires_in = 0 } = body;
      const { row, token } = await database.transactionOf(owned.accountId, (tables) =>
        uploadLinks.create(tables, owned.accountId, {
          title,
          albumId: album,
          maxFiles: max_files,
          maxBytes: max_bytes,
          expiresInSeconds: expires_in,
        }),
      );
      return uploadLinkOf(settings, row, token);
    },
    async 'DELETE /upload-links/:id'({ owned, id }) {
      if (!(await uploadLinks.delete(owned.accountId, id))) throw notFound();
      return { deleted: id };
    },
  } satisfies Partial<Handlers>;
}
