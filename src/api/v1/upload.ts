// POST /api/v1/upload: stores one image and returns its links. Spec 4.1.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredUpload } from '#uploads/store-uploads.ts';
import { isoTimeOrNull } from '#api/common-views.ts';
import { answerUpload, storedOf, type UploadParts } from '#api/answer-upload.ts';
import type { UploadResult } from '#api/v1/schemas.ts';
import { formOf } from '#api/v1/upload-form.ts';
import { deleteLink, uploadLinks, type Addresses } from '#http/addresses.ts';
import { readUploadForm } from '#http/body/upload-form.ts';
import { quotaHeaders } from '#http/reply-headers.ts';

export function upload(parts: UploadParts) {
  const form = formOf('single');
  return (request: FastifyRequest, reply: FastifyReply) =>
    answerUpload(
      parts,
      request,
      reply,
      (accountId) => readUploadForm(request.raw, parts.uploadBlobs, accountId, form),
      (outcomes) => {
        const stored = storedOf(outcomes);
        return { status: 201, headers: quotaHeaders(stored.quota), body: uploadResult(parts, stored) };
      },
    );
}

/** What a stored upload is answered with. Spec 2.1. */
export const uploadResult = (addresses: Addresses, { row, deleteToken }: StoredUpload): UploadResult => ({
  id: row.id,
  slug: row.slug,
  ...uploadLinks(addresses, row.slug),
  delete_url: deleteLink(addresses, row.id, deleteToken),
  expires_at: isoTimeOrNull(row.expires_at),
  size_bytes: row.size_bytes,
  content_type: row.content_type as UploadResult['content_type'],
  filename: row.filename,
});
