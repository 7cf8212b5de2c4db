// /api/v2/uploads and below: store, list, read, change, delete and restore. Spec 10.8.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { UploadRow } from '#storage/schema.ts';
import { maxViewsOf } from '#uploads/upload-access.ts';
import type { UploadLibrary } from '#uploads/upload-library.ts';
import { isoTime, isoTimeOrNull } from '#api/common-views.ts';
import { answerUpload, storedOf, type UploadParts } from '#api/answer-upload.ts';
import { timesOf } from '#api/v2/created-between.ts';
import { changeHandler, idOf, resourceHandlers, show } from '#api/v2/resource.ts';
import { isFromUrl, readUploadFromUrl, type FetchParts } from '#api/v2/upload-from-url.ts';
import { formOf } from '#api/v2/upload-form.ts';
import { UploadChanges, UploadsQuery, type Upload } from '#api/v2/upload-schemas.ts';
import { readUploadForm } from '#http/body/upload-form.ts';
import { callerOf } from '#http/guards.ts';
import { deleteLink, uploadLinks, type Addresses } from '#http/addresses.ts';
import { quotaHeaders } from '#http/reply-headers.ts';

type ListQuery = Static<typeof UploadsQuery> & { limit: number };

export interface UploadsParts extends UploadParts, FetchParts {
  uploadLibrary: UploadLibrary;
}

export function uploadHandlers(parts: UploadsParts) {
  const { uploadLibrary, uploadBlobs } = parts;
  const form = formOf();

  const create = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    answerUpload(
      parts,
      request,
      reply,
      (accountId) =>
        isFromUrl(request)
          ? readUploadFromUrl(parts, request, reply, accountId)
          : readUploadForm(request.raw, uploadBlobs, accountId, form),
      (outcomes) => {
        const { row, deleteToken, quota } = storedOf(outcomes);
        return { status: 201, headers: quotaHeaders(quota), body: uploadOf(parts, row, deleteToken) };
      },
    );

  const view = (row: UploadRow): Upload => uploadOf(parts, row);

  return {
    create,
    ...resourceHandlers({
      query: UploadsQuery,
      list: ({ accountId }, { created_after, created_before, ...query }: ListQuery) =>
        uploadLibrary.list(accountId, { ...query, ...timesOf({ created_after, created_before }) }),
      find: ({ accountId }, id) => uploadLibrary.find(accountId, id),
      remove: (caller, id) => uploadLibrary.delete(caller, id),
      view,
    }),
    change: changeHandler(
      UploadChanges,
      ({ accountId, plan }, id, { expires_in, max_views, ...changes }) =>
        uploadLibrary.edit(accountId, plan, id, {
          ...changes,
          expiresInSeconds: expires_in,
          maxViews: max_views,
        }),
      view,
      { holdsSecrets: true },
    ),
    restore: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      show(reply, view, await uploadLibrary.restore(callerOf(request).accountId, idOf(request))),
  };
}

/** The token is known only when the upload is made. */
export const uploadOf = (addresses: Addresses, row: UploadRow, deleteToken?: string): Upload => ({
  id: row.id,
  slug: row.slug,
  ...uploadLinks(addresses, row.slug),
  delete_url: deleteToken === undefined ? null : deleteLink(addresses, row.id, deleteToken),
  expires_at: isoTimeOrNull(row.expires_at),
  size_bytes: row.size_bytes,
  content_type: row.content_type,
  filename: row.filename,
  width: row.width,
  height: row.height,
  sha256: row.sha256,
  title: row.title,
  tags: JSON.parse(row.tags) as string[],
  album: row.album_id,
  metadata_removed: JSON.parse(row.metadata_removed) as Upload['metadata_removed'],
  created_at: isoTime(row.created_at),
  has_password: row.password_hash !== null,
  max_views: maxViewsOf(row),
  views: row.views,
});
