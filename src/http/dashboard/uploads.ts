// The uploads page, and uploads made there: same store, same quota, no key.
import { Readable } from 'node:stream';
import type { Static } from 'typebox';
import type { Clock } from '#core/clock.ts';
import { limits } from '#core/limits.ts';
import type { Owned } from '#storage/owned/owned.ts';
import { imageExtensions, type ImageType } from '#uploads/image-types.ts';
import type { HostedUploads } from '#uploads/hosted-uploads.ts';
import type { Thumbnails } from '#uploads/thumbnail.ts';
import type { Plans } from '#accounts/plans.ts';
import { upload, type UploadParts } from '#http/api/upload.ts';
import type { UploadsFilter, UploadsQuery } from '#http/dashboard/schemas/files.ts';
import type { Handlers } from '#http/dashboard/serve.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { filePath, type Addresses } from '#http/links.ts';
import { invalid, notFound } from '#core/errors.ts';
import type { UploadFilter } from '#storage/owned/uploads.ts';
import { distinctNames, zipOf } from '#http/dashboard/zip.ts';
import { isoTime, pageOptions, toPage, uploadView } from '#http/dashboard/views.ts';

type Names =
  | 'GET /uploads'
  | 'GET /uploads/totals'
  | 'GET /uploads/zip'
  | 'POST /uploads/expiry'
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

/** Deletions listed at most. */
const deletedShown = 500;
const soonMs = 7 * 24 * 60 * 60 * 1000;
/** Pictures do not change; access is checked again after a day. */
export const keptByBrowser = 'private, max-age=86400';

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
    'GET /uploads': ({ owned, query }) => listUploads(parts, owned, query),
    async 'GET /uploads/totals'({ owned, query }) {
      const { files, bytes, isMore } = await owned.uploads.totals(filterOf(query, clock.now()), clock.now());
      return { files, bytes, is_more: isMore };
    },
    async 'GET /uploads/zip'({ owned, query, reply }) {
      const ids = query.ids.split(',');
      if (ids.length > limits.filesPerZip)
        throw invalid('ids', `at most ${limits.filesPerZip} files go into one archive`);
      const rows = await owned.uploads.byIds(ids, clock.now());
      if (rows.length === 0) throw notFound();
      const names = distinctNames(rows.map(({ filename }) => filename));
      const files = rows.map(({ id, size_bytes, created_at }, index) => ({
        name: names[index]!,
        sizeBytes: size_bytes,
        modifiedAt: created_at,
        open: () => parts.uploadBlobs.open(id, undefined, owned.accountId),
      }));
      return reply
        .type('application/zip')
        .header(
          'content-disposition',
          `attachment; filename="tintype-${isoTime(clock.now()).slice(0, 10)}.zip"`,
        )
        .send(Readable.from(zipOf(files)));
    },
    async 'POST /uploads/expiry'({ owned, person, body }) {
      const plan = plans.orStandard(person.account.plan);
      const rows = await hostedUploads.changeExpiry(owned.accountId, plan, body.ids, body.expires_in);
      if (rows.length === 0) throw notFound();
      return { changed: rows.map(({ id }) => id) };
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
      const plan = plans.orStandard(person.account.plan);
      const [row] = await hostedUploads.changeExpiry(owned.accountId, plan, [id], body.expires_in);
      if (!row) throw notFound();
      return uploadView(parts, row);
    },
    async 'GET /uploads/:id/thumbnail'({ owned, id, request, reply }) {
      const row = await owned.uploads.byId(id, clock.now());
      if (!row) throw notFound();
      const bytes = await thumbnails.of(row, hangUpSignal(request, reply));
      reply.header('cache-control', keptByBrowser);
      if (!bytes) return reply.redirect(filePath(row.slug), 302);
      return reply.type('image/webp').send(bytes);
    },
  };
}

/** A page of the account's uploads, newest first. */
export async function listUploads(
  parts: Addresses & { clock: Clock },
  owned: Owned,
  query: Static<typeof UploadsQuery>,
) {
  const now = parts.clock.now();
  const page = pageOptions(query);
  const rows = await owned.uploads.page(filterOf(query, now), page, now, query.sort);
  return toPage(rows, page, (row) => uploadView(parts, row));
}

function filterOf({ search, type, expiry }: UploadsFilter, now: number): UploadFilter {
  return {
    search,
    contentType: type && contentTypeOf(type),
    expiry: expiry === 'soon' ? { before: now + soonMs } : expiry,
  };
}

function contentTypeOf(extension: string): ImageType | undefined {
  return (Object.keys(imageExtensions) as ImageType[]).find((type) =>
    (imageExtensions[type] as readonly string[]).includes(extension),
  );
}
