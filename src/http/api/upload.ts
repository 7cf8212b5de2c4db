// POST /api/v1/upload: stores one image and returns its links. Spec 4.1.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPhases } from '#core/phases.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { StoredUpload, UploadOutcome, UploadStore } from '#uploads/store-uploads.ts';
import type { UploadResult } from '#http/api/schemas.ts';
import { deleteLink, uploadLinks, type Addresses } from '#http/links.ts';
import { sendAnswer, type Answer } from '#http/answer.ts';
import { callerOf } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import { readUploadForm, type UploadForm } from '#http/body/multipart.ts';
import { quotaHeaders } from '#http/reply-headers.ts';

export interface UploadParts extends Addresses {
  uploadStore: UploadStore;
  uploadBlobs: Blobs;
  idempotency: Idempotency;
}

export function upload(parts: UploadParts) {
  return (request: FastifyRequest, reply: FastifyReply) =>
    answerUpload(parts, 'single', request, reply, ([outcome]) => {
      if (!outcome) throw new Error('no outcome for the one file');
      if (!outcome.ok) throw outcome.error;
      const body = uploadResult(parts, outcome.upload);
      return { status: 201, headers: quotaHeaders(outcome.upload.quota), body };
    });
}

/** What a stored upload is answered with. Spec 2.1. */
export const uploadResult = (addresses: Addresses, { row, deleteToken }: StoredUpload): UploadResult => ({
  id: row.id,
  slug: row.slug,
  ...uploadLinks(addresses, row.slug),
  delete_url: deleteLink(addresses, row.id, deleteToken),
  expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  size_bytes: row.size_bytes,
  content_type: row.content_type as UploadResult['content_type'],
  filename: row.filename,
});

/** Shared by both upload endpoints: reads the form, stores its files once, and answers. */
export async function answerUpload(
  { uploadStore, uploadBlobs, idempotency }: UploadParts,
  kind: 'single' | 'batch',
  request: FastifyRequest,
  reply: FastifyReply,
  toAnswer: (outcomes: UploadOutcome[], form: UploadForm) => Answer,
): Promise<FastifyReply> {
  const phases = createPhases();
  request.notes = { phases, made: [] };
  phases.begin('receive');
  const caller = callerOf(request);
  await using form = await readUploadForm(request.raw, uploadBlobs, kind, caller.accountId);
  phases.end();
  const { files, expiresInSeconds } = form;
  const content = {
    expiresInSeconds,
    files: files.map(({ sourceFilename, sha256 }) => [sourceFilename, sha256]),
  };
  const answer = await idempotency.once(request, reply, content, async (remember) => {
    phases.begin('store');
    const stored = await uploadStore.storeUploads(
      caller,
      files,
      expiresInSeconds,
      async (outcomes, tables) => {
        const composed = toAnswer(outcomes, form);
        if (tables) await remember?.(tables, composed);
        return composed;
      },
    );
    phases.end();
    if (kind === 'batch') logInternalErrors(request, stored.outcomes);
    request.notes = {
      phases,
      made: stored.outcomes.flatMap((outcome) => (outcome.ok ? [outcome.upload.row.id] : [])),
    };
    return stored.answer;
  });
  return sendAnswer(request, reply, answer);
}

/** A batch has one response for all files, so the error handler does not see each file's error. */
function logInternalErrors(request: FastifyRequest, outcomes: UploadOutcome[]): void {
  for (const outcome of outcomes)
    if (!outcome.ok && outcome.error.code === 'internal')
      request.log.error({ err: outcome.error.cause }, 'upload failed');
}
