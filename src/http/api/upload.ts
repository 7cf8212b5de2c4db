// POST /api/v1/upload: stores one image and returns its links. Spec 4.1.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Blobs } from '#storage/blobs.ts';
import type { UploadStore } from '#uploads/store-uploads.ts';
import { uploadResult } from '#uploads/upload-result.ts';
import { callerOf } from '#http/guards.ts';
import { readUploadForm } from '#http/multipart.ts';
import { setQuotaHeaders } from '#http/reply-headers.ts';

export interface UploadParts {
  uploadStore: UploadStore;
  blobs: Blobs;
  baseUrl: string;
}

export function upload({ uploadStore, blobs, baseUrl }: UploadParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const form = await readUploadForm(request.raw, blobs, 'single');
    try {
      const [outcome] = await uploadStore.storeUploads(callerOf(request), form.files, form.expiresInSeconds);
      if (!outcome) throw new Error('no outcome for the one file');
      if (!outcome.ok) throw outcome.error;
      setQuotaHeaders(reply, outcome.upload.quota);
      return reply.code(201).send(uploadResult(baseUrl, outcome.upload));
    } finally {
      await form.discard();
    }
  };
}
