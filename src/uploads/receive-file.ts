// Receives one file as it arrives: counts and hashes it, keeps its first bytes for type detection, and spools it, so that memory
// does not grow with the file. Spec 4.1.
import { ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Blobs, Spool } from '#storage/blobs.ts';
import { detectionBytes } from '#uploads/detect-type.ts';

/** A received file: spooled and counted, not yet checked. Its receiver owns the spool. */
export interface ReceivedFile {
  sourceFilename: string;
  spool: Spool;
  /** All bytes sent, including those past the limit, which were not kept. */
  sizeBytes: number;
  /** Its first bytes, enough for type detection. */
  head: Buffer;
  sha256: string;
}

export interface FileReceiver extends AsyncDisposable {
  /** Returns a promise if the next write must wait for the disk. */
  write(chunk: Buffer): Promise<void> | undefined;
  finish(): Promise<ReceivedFile>;
}

export function receiveFile(blobs: Blobs, sourceFilename: string, accountId: string): FileReceiver {
  const spool = blobs.createSpool(accountId);
  const heads: Buffer[] = [];
  let headBytes = 0;
  let sizeBytes = 0;

  return {
    write(chunk) {
      sizeBytes += chunk.length;
      if (sizeBytes > limits.fileBytes) return undefined;
      if (headBytes < detectionBytes) {
        // A copy, because a slice would keep the whole chunk in memory.
        heads.push(Buffer.from(chunk.subarray(0, detectionBytes - headBytes)));
        headBytes += chunk.length;
      }
      return spool.write(chunk);
    },
    finish: async () => ({
      sourceFilename,
      spool,
      sizeBytes,
      head: Buffer.concat(heads),
      sha256: await spool.sha256(),
    }),
    [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose](),
  };
}

export function fileTooLarge(field = 'file', maxBytes: number = limits.fileBytes): ServiceError {
  const most = maxBytes === limits.fileBytes ? `${maxBytes} bytes (10 MB)` : `${maxBytes} bytes`;
  return new ServiceError('file_too_large', `larger than ${most}.`, { details: { field } });
}
