// POST /api/v1/upload/batch: stores up to ten images, each with its own outcome. Spec 2.2, 4.2.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '#core/errors.ts';
import { limitOf } from '#metering/quota.ts';
import { answerUpload, type UploadParts } from '#api/answer-upload.ts';
import { uploadResult } from '#api/v1/upload.ts';
import { formOf } from '#api/v1/upload-form.ts';
import { readUploadForm } from '#http/body/upload-form.ts';
import { callerOf } from '#http/guards.ts';
import { quotaHeaders, spentQuotaHeaders } from '#http/reply-headers.ts';

export function uploadBatch(parts: UploadParts) {
  const form = formOf('batch');
  const read = (request: FastifyRequest) => (accountId: string) =>
    readUploadForm(request.raw, parts.uploadBlobs, accountId, form);
  return (request: FastifyRequest, reply: FastifyReply) =>
    answerUpload(parts, request, reply, read(request), (outcomes, { files }) => {
      const stored = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.upload] : []));
      const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
      return {
        status: statusOf(stored.length, errors),
        headers: headersOf(stored, errors, limitOf(callerOf(request), 'upload')),
        body: {
          items: outcomes.map((outcome, index) => ({
            ok: outcome.ok,
            index,
            source_filename: files[index]?.sourceFilename ?? '',
            ...(outcome.ok
              ? { upload: uploadResult(parts, outcome.upload) }
              : { error: { code: outcome.error.code, message: outcome.error.message } }),
          })),
          summary: { total: outcomes.length, succeeded: stored.length, failed: errors.length },
        },
      };
    });
}

/** When all files fail with different codes, the status is that of the first one. */
function statusOf(storedCount: number, [first]: ServiceError[]): number {
  if (!first) return 201;
  return storedCount > 0 ? 207 : first.status;
}

/** The quota after the last stored file. */
function headersOf(
  stored: { quota: Parameters<typeof quotaHeaders>[0] }[],
  errors: ServiceError[],
  limit: number,
) {
  const last = stored.at(-1);
  if (last) return quotaHeaders(last.quota);
  return errors[0]?.code === 'quota_exceeded' ? spentQuotaHeaders(limit) : {};
}
