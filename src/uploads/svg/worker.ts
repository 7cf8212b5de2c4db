// The worker thread that sanitizes SVGs: one file in, one result out.
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '#core/errors.ts';
import type { SanitizerAnswer } from '#uploads/svg-sanitizer.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';

parentPort?.on('message', (bytes: Uint8Array<ArrayBuffer>) => {
  const { answer, transfer } = answerFor(bytes);
  parentPort?.postMessage(answer, transfer);
});

// The first message says that everything is loaded: a file's time counts only from then on.
parentPort?.postMessage('ready', []);

function answerFor(bytes: Uint8Array<ArrayBuffer>): { answer: SanitizerAnswer; transfer: ArrayBuffer[] } {
  try {
    const sanitized = new Uint8Array(sanitizeSvg(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
    return { answer: { sanitized }, transfer: [sanitized.buffer] };
  } catch (error) {
    const answer =
      error instanceof ServiceError ? { code: error.code, message: error.message } : { failure: error };
    return { answer, transfer: [] };
  }
}
