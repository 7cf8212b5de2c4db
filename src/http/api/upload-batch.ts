// POST /api/v1/upload/batch: stores up to ten images, each with its own outcome. Spec 2.2, 4.2.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorTable, type ServiceError } from '#core/errors.ts';
import { limitOf } from '#metering/quota.ts';
import type { ReceivedFile } from '#uploads/receive-file.ts';
import type { UploadOutcome } from '#uploads/store-uploads.ts';
import { uploadResult, type UploadResult } from '#uploads/upload-result.ts';
import type { UploadParts } from '#http/api/upload.ts';
import { callerOf } from '#http/guards.ts';
import { readUploadForm } from '#http/multipart.ts';
import { setQuotaHeaders, setSpentQuotaHeaders } from '#http/reply-headers.ts';

type BatchItem = { index: number; source_filename: string } & (
  | { ok: true; upload: UploadResult }
  | { ok: false; error: { code: string; message: string } }
);

export function uploadBatch({ uploadStore, blobs, baseUrl }: UploadParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const form = await readUploadForm(request.raw, blobs, 'batch');
    try {
      const caller = callerOf(request);
      const outcomes = await uploadStore.storeUploads(caller, form.files, form.expiresInSeconds);
      const stored = outcomes.filter((outcome) => outcome.ok);
      const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
      for (const error of errors)
        if (error.code === 'internal') request.log.error({ err: error.cause }, 'upload failed');

      const last = stored.at(-1);
      if (last) setQuotaHeaders(reply, last.upload.quota);
      else if (errors[0]?.code === 'quota_exceeded') setSpentQuotaHeaders(reply, limitOf(caller, 'upload'));
      return reply.code(statusOf(stored.length, errors)).send({
        items: outcomes.map((outcome, index) => batchItem(outcome, index, form.files[index], baseUrl)),
        summary: { total: outcomes.length, succeeded: stored.length, failed: errors.length },
      });
    } finally {
      await form.discard();
    }
  };
}

/** When every file fails with different codes, the first one's status stands for all. */
function statusOf(storedCount: number, errors: ServiceError[]): number {
  const [first] = errors;
  if (!first) return 201;
  return storedCount > 0 ? 207 : errorTable[first.code].status;
}

function batchItem(
  outcome: UploadOutcome,
  index: number,
  file: ReceivedFile | undefined,
  baseUrl: string,
): BatchItem {
  const item = { index, source_filename: file?.sourceFilename ?? '' };
  if (outcome.ok) return { ok: true, ...item, upload: uploadResult(baseUrl, outcome.upload) };
  const { code, message } = outcome.error;
  return { ok: false, ...item, error: { code, message } };
}
