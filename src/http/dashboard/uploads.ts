// The uploads page, and uploads made there: the same store, the same quota, no key.
import type { Clock } from '#core/clock.ts';
import { imageExtensions, type ImageType } from '#uploads/image-types.ts';
import { changedExpiry } from '#uploads/expiry.ts';
import type { HostedUploads } from '#uploads/hosted-uploads.ts';
import type { Thumbnails } from '#uploads/thumbnail.ts';
import type { Plans } from '#accounts/plans.ts';
import { upload, type UploadParts } from '#http/api/upload.ts';
import type { Handlers } from '#http/dashboard/serve.ts';
import { hangUpSignal } from '#http/hang-up.ts';
import { filePath } from '#http/links.ts';
import { notFound } from '#core/errors.ts';
import { isoTime, pageOptions, toPage, uploadView } from '#http/dashboard/views.ts';

type Names =
  | 'GET /uploads'
  | 'POST /uploads'
  | 'POST /playground/upload'
  | 'GET /uploads/deleted'
  | 'POST /uploads/restore'
  | 'POST /uploads/purge'
  | 'POST /uploads/delete'
  | 'GET /uploads/:id'
  | 'PATCH /uploads/:id'
  | 'DELETE /uploads/:id'
  | 'GET /uploads/:id/thumbnail';

/** So many deletions are listed. */
const deletedShown = 500;
const soonMs = 7 * 24 * 60 * 60 * 1000;

export interface UploadsPageParts extends UploadParts {
  clock: Clock;
  plans: Plans;
  hostedUploads: HostedUploads;
  thumbnails: Thumbnails;
}

export function uploadsHandlers(parts: UploadsPageParts): Pick<Handlers, Names> {
  const { clock, plans, hostedUploads, thumbnails } = parts;
  const store = upload(parts);

  return {
    async 'GET /uploads'({ owned, query }) {
      const { search, type, expiry } = query;
      const now = clock.now();
      const page = pageOptions(query);
      const rows = await owned.uploads.page(
        {
          search,
          contentType: type && contentTypeOf(type),
          expiry: expiry === 'soon' ? { before: now + soonMs } : expiry,
        },
        page,
        now,
      );
      return toPage(rows, page, (row) => uploadView(parts, row));
    },
    'POST /uploads': ({ request, reply }) => store(request, reply),
    'POST /playground/upload': ({ request, reply }) => store(request, reply),

    async 'GET /uploads/deleted'({ owned }) {
      const rows = await owned.uploads.restorable(clock.now(), deletedShown);
      return {
        items: rows.map(({ id, filename, size_bytes, deleted_at }) => ({
          id,
          filename,
          size_bytes,
          restorable_until: isoTime(deleted_at ?? 0),
        })),
      };
    },
    async 'POST /uploads/restore'({ owned, body }) {
      const restored = await hostedUploads.restoreOwned(owned.accountId, body.ids);
      if (restored.length === 0) throw notFound();
      return { restored };
    },
    async 'POST /uploads/purge'({ owned, body }) {
      const deleted = await hostedUploads.purgeDeleted(owned.accountId, body.ids);
      if (deleted.length === 0) throw notFound();
      return { deleted };
    },
    async 'POST /uploads/delete'({ owned, body }) {
      const deleted = await hostedUploads.deleteOwned(owned.accountId, body.ids);
      if (deleted.length === 0) throw notFound();
      return { deleted };
    },
    async 'DELETE /uploads/:id'({ owned, id }) {
      const deleted = await hostedUploads.deleteOwned(owned.accountId, [id]);
      if (deleted.length === 0) throw notFound();
      return { deleted };
    },
    async 'GET /uploads/:id'({ owned, id }) {
      const row = await owned.uploads.byId(id, clock.now());
      if (!row) throw notFound();
      return uploadView(parts, row);
    },
    async 'PATCH /uploads/:id'({ owned, person, id, body }) {
      const now = clock.now();
      const row = await owned.uploads.byId(id, now);
      if (!row) throw notFound();
      const plan = plans.orStandard(person.account.plan);
      const changed = await owned.uploads.setExpiry(
        id,
        changedExpiry(plan, body.expires_in, row.created_at, now),
      );
      if (!changed) throw notFound();
      return uploadView(parts, changed);
    },
    async 'GET /uploads/:id/thumbnail'({ owned, id, request, reply }) {
      const row = await owned.uploads.byId(id, clock.now());
      if (!row) throw notFound();
      const bytes = await thumbnails.of(row, hangUpSignal(request, reply));
      reply.header('cache-control', 'private, max-age=86400');
      if (!bytes) return reply.redirect(filePath(row.slug), 302);
      return reply.type('image/webp').send(bytes);
    },
  };
}

function contentTypeOf(extension: string): ImageType | undefined {
  return (Object.keys(imageExtensions) as ImageType[]).find((type) =>
    (imageExtensions[type] as readonly string[]).includes(extension),
  );
}
