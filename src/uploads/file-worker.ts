// The worker thread that cleans files: one file in, one result out.
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '#core/errors.ts';
import type { CleanBytes, FileJob, ThreadAnswer } from '#uploads/file-threads.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { UnreadablePicture } from '#uploads/metadata/cleaning.ts';
import { cleanPicture } from '#uploads/metadata/remove-metadata.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';

parentPort?.on('message', ({ type, bytes }: FileJob) => {
  const answer = answerFor(type, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const isLarge = 'cleaned' in answer && answer.cleaned !== undefined;
  parentPort?.postMessage(answer, isLarge ? [answer.cleaned!.buffer as ArrayBuffer] : []);
});

// The first message says that everything is loaded: a file's time counts only from then on.
parentPort?.postMessage('ready', []);

function answerFor(type: ImageType, given: Buffer): ThreadAnswer {
  try {
    const { bytes, found } = clean(type, given);
    // A copy, because a small buffer is part of a larger one that other files share.
    return { cleaned: bytes && new Uint8Array(bytes), found };
  } catch (error) {
    if (error instanceof UnreadablePicture) return { unreadable: error.message };
    return error instanceof ServiceError ? { code: error.code, message: error.message } : { failure: error };
  }
}

function clean(type: ImageType, given: Buffer): CleanBytes {
  if (type === 'image/svg+xml') return { bytes: sanitizeSvg(given), found: [] };
  const { pieces, isChanged, found } = cleanPicture(type, given);
  return { bytes: isChanged ? Buffer.concat(pieces) : undefined, found: [...found] };
}
