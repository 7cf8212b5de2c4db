// The thread in which SVGs are sanitized: one file in, one answer out.
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '#core/errors.ts';
import type { SanitizerAnswer } from '#uploads/svg-sanitizer.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';

parentPort?.on('message', (bytes: Uint8Array<ArrayBuffer>) => {
  const { answer, transfer } = answerFor(bytes);
  parentPort?.postMessage(answer, transfer);
});

// The first message says that everything is loaded: only from then on does the time of a file count.
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
