// The uploads page, and uploads made there: same store, same quota, no key.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { limits } from '#core/limits.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import type { Person } from '#accounts/sessions.ts';
import type { Listener } from '#delivery/events.ts';
import type { Variants } from '#uploads/pictures/variants.ts';
import { originalOf, type Original } from '#uploads/pictures/variant.ts';
import { found } from '#console/errors.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { notStored } from '#site/hosted/send-blob.ts';
import { ticketQuery, withQuery } from '#site/hosted/tickets.ts';
import { filePath } from '#http/addresses.ts';
import { invalid, ServiceError } from '#core/errors.ts';
import { distinctNames, zipOf } from '#http/zip.ts';
import { listUploads, uploadFilterOf } from '#api/account/list-uploads.ts';
import { isoTime } from '#api/common-views.ts';
import { createUploadViews } from '#console/views.ts';

/** Deletions listed at most. */
export const deletedShown = 500;
/** Tags listed at most. */
const tagsShown = 200;

export function uploadsHandlers(parts: DashboardParts) {
  const {
    clock,
    accounts: { plans },
    uploads,
  } = parts;
  const view = createUploadViews(parts);
  const { hostedUploads, uploadLibrary, uploadVariants, uploadBlobs } = uploads;
  return {
    'GET /uploads': ({ owned, query }) => listUploads(view, owned, query, clock.now()),
    async 'GET /uploads/totals'({ owned, query }) {
      const { files, bytes, isMore } = await owned.uploads.totals(
        uploadFilterOf(query, clock.now()),
        clock.now(),
      );
      return { files, bytes, is_more: isMore };
    },
    async 'GET /uploads/ids'({ owned, query }) {
      return { ids: await owned.uploads.idsOf(uploadFilterOf(query, clock.now()), clock.now()) };
    },
    'GET /uploads/tags': async ({ owned }) => ({ items: await owned.uploads.tags(clock.now(), tagsShown) }),
    async 'GET /uploads/zip'({ owned, query, reply }) {
      const ids = query.ids.split(',');
      if (ids.length > limits.filesPerZip)
        throw invalid('ids', `at most ${limits.filesPerZip} files go into one archive`);
      const rows = found(await owned.uploads.byIds(ids, clock.now()));
      const names = distinctNames(rows.map(({ filename }) => filename));
      const files = rows.map(({ id, size_bytes, created_at }, index) => ({
        name: names[index]!,
        sizeBytes: size_bytes,
        modifiedAt: created_at,
        open: () => uploadBlobs.open(id, undefined, owned.accountId),
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
      const plan = plans.of(person.account);
      const rows = await hostedUploads.changeExpiry(owned.accountId, plan, body.ids, body.expires_in);
      return { changed: found(rows).map(({ id }) => id) };
    },
    'POST /uploads/move': async ({ owned, body }) => ({
      changed: found(await uploadLibrary.move(owned.accountId, body.ids, body.album)),
    }),
    'POST /uploads/tag': async ({ owned, body }) => ({
      changed: found(await uploadLibrary.tag(owned.accountId, body.ids, body.tag)),
    }),

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
    'POST /uploads/restore': async ({ owned, body }) => ({
      restored: found(await hostedUploads.restoreOwned(owned.accountId, body.ids)),
    }),
    'POST /uploads/purge': async ({ owned, body }) => ({
      deleted: found(await hostedUploads.purgeDeleted(owned.accountId, body.ids)),
    }),
    'POST /uploads/delete': async ({ person, body }) => ({
      deleted: found(await hostedUploads.deleteOwned(listenerOf(person), body.ids)),
    }),
    'DELETE /uploads/:id': async ({ person, id }) => ({
      deleted: found(await hostedUploads.deleteOwned(listenerOf(person), [id])),
    }),
    'GET /uploads/:id': async ({ owned, id }) => view(found(await owned.uploads.byId(id, clock.now()))),
    async 'PATCH /uploads/:id'({ owned, person, id, body }) {
      const plan = plans.of(person.account);
      const { expires_in, max_views, ...changes } = body;
      const row = await uploadLibrary.edit(owned.accountId, plan, id, {
        ...changes,
        expiresInSeconds: expires_in,
        maxViews: max_views,
      });
      return view(found(row));
    },
    async 'GET /uploads/:id/thumbnail'({ owned, id, reply }) {
      const row = found(await owned.uploads.byId(id, clock.now()));
      const made = { variants: uploadVariants, blobs: uploadBlobs };
      const path = withQuery(filePath(row.slug), ticketQuery(uploads.uploadAccess.ticketFor(row)));
      return sendThumbnail(reply, made, originalOf(row), path);
    },
  } satisfies Partial<Handlers>;
}

const listenerOf = ({ account }: Person): Listener => ({
  accountId: account.id,
  webhookEvents: account.webhook_events,
});

/** A variant for the lists of the dashboard; redirects to the picture itself, at `path`, where there is none. */
export async function sendThumbnail(
  reply: FastifyReply,
  { variants, blobs }: { variants: Variants; blobs: Blobs },
  original: Original,
  path: string,
): Promise<FastifyReply> {
  const variant = await variants.get(original, thumbnail).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'validation_error') return null;
    throw error;
  });
  const bytes = variant && (await readBlob(blobs, variant.key));
  // The path of a guarded picture works only for a while.
  if (!bytes) return reply.header('cache-control', notStored).redirect(path, 302);
  // Pictures do not change; access is checked again after a day.
  return reply.header('cache-control', 'private, max-age=86400').type(variant.contentType).send(bytes);
}

const thumbnail = { width: 384, format: 'webp', acceptsWebp: true } as const;
