// What every upload endpoint does: reads the form, stores its files once, and answers. Spec 4.1, 4.2.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPhases } from '#core/phases.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { StoredUpload, UploadOutcome, UploadStore } from '#uploads/store-uploads.ts';
import type { Addresses } from '#http/addresses.ts';
import { sendAnswer, type Answer } from '#http/answer.ts';
import { callerOf, networksOf } from '#http/guards.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import type { Idempotency } from '#http/idempotency.ts';
import type { UploadForm } from '#http/body/upload-form.ts';

export interface UploadParts extends Addresses {
  uploadStore: UploadStore;
  uploadBlobs: Blobs;
  idempotency: Idempotency;
}

export async function answerUpload(
  { uploadStore, idempotency }: UploadParts,
  request: FastifyRequest,
  reply: FastifyReply,
  readForm: (accountId: string) => Promise<UploadForm>,
  toAnswer: (outcomes: UploadOutcome[], form: UploadForm) => Answer,
): Promise<FastifyReply> {
  const phases = createPhases();
  request.notes = { phases, made: [] };
  phases.begin('receive');
  const caller = callerOf(request);
  await using form = await readForm(caller.accountId);
  phases.end();
  const { options, later } = form;
  const content = {
    ...options,
    files: form.files.map(({ sourceFilename, sha256 }) => [sourceFilename, sha256]),
    ...(later && { later: later.content }),
  };
  const answer = await idempotency.once(request, reply, content, async (remember) => {
    phases.begin('receive');
    const files = later ? [await later.receive()] : form.files;
    phases.begin('store');
    const asked = {
      ...options,
      networks: networksOf(request.ip),
      signal: hangUpSignal(request, reply),
    };
    const stored = await uploadStore.storeUploads(caller, files, asked, async (outcomes, tables) => {
      const composed = toAnswer(outcomes, form);
      if (tables) await remember?.(tables, composed);
      return composed;
    });
    phases.end();
    logInternalErrors(request, stored.outcomes);
    request.notes = {
      phases,
      made: stored.outcomes.flatMap((outcome) => (outcome.ok ? [outcome.upload.row.id] : [])),
      refused: stored.outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.code])),
    };
    return stored.answer;
  });
  return sendAnswer(request, reply, answer);
}

/** The outcome of the only file. */
export function storedOf([outcome]: UploadOutcome[]): StoredUpload {
  if (!outcome) throw new Error('no outcome for the one file');
  if (!outcome.ok) throw outcome.error;
  return outcome.upload;
}

/** A batch has one response for all files, so the error handler does not see each file's error. */
function logInternalErrors(request: FastifyRequest, outcomes: UploadOutcome[]): void {
  for (const outcome of outcomes)
    if (!outcome.ok && outcome.error.code === 'internal')
      request.log.error({ err: outcome.error.cause }, 'upload failed');
}
