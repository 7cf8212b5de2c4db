// Removes the metadata of an upload that is already spooled. The bytes that will be stored are read again, and the file is stored only
// if there is nothing left in them.
import { invalid } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import type { Blobs } from '#storage/blobs.ts';
import { metadataKinds, UnreadablePicture, type MetadataKind } from '#uploads/metadata/cleaning.ts';
import { cleanPicture, type CleanableType } from '#uploads/metadata/remove-metadata.ts';
import { receiveFile, type ReceivedFile } from '#uploads/receive-file.ts';

export interface CleanFile {
  /** The file itself if there was nothing to remove. */
  file: ReceivedFile;
  removed: MetadataKind[];
}

export type MetadataRemover = ReturnType<typeof createMetadataRemover>;

/** Each file is in memory up to twice. */
const filesAtOnce = 4;
/** Pieces may be very small. */
const writeBytes = 64 * 1024;

export function createMetadataRemover({ blobs }: { blobs: Blobs }) {
  const queue = createFairQueue({ concurrency: filesAtOnce, concurrencyPerAccount: filesAtOnce / 2 });

  async function remove(
    accountId: string,
    type: CleanableType,
    file: ReceivedFile,
    owner: AsyncDisposableStack,
  ): Promise<CleanFile> {
    const { pieces, isChanged, found } = await cleanPicture(type, await file.spool.read());
    if (!isChanged) return { file, removed: [] };
    const receiver = owner.use(receiveFile(blobs, file.sourceFilename, accountId));
    for (const chunk of inChunks(pieces)) await receiver.write(chunk);
    const stored = await receiver.finish();
    const left = await cleanPicture(type, await stored.spool.read());
    if (left.isChanged) throw new Error(`metadata was left: ${[...left.found].join(', ')}`);
    return { file: stored, removed: metadataKinds.filter((kind) => found.has(kind)) };
  }

  return {
    /** `owner` discards the new file if it is not stored. Rejects with `validation_error` if the file cannot be read with certainty. */
    remove: (
      accountId: string,
      type: CleanableType,
      file: ReceivedFile,
      owner: AsyncDisposableStack,
    ): Promise<CleanFile> => queue.run(accountId, () => remove(accountId, type, file, owner).catch(explain)),
  };
}

function* inChunks(pieces: Buffer[]): Generator<Buffer> {
  let [waiting, waitingBytes] = [[] as Buffer[], 0];
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += writeBytes) {
      const part = piece.subarray(at, at + writeBytes);
      waiting.push(part);
      waitingBytes += part.length;
      if (waitingBytes < writeBytes) continue;
      yield Buffer.concat(waiting);
      [waiting, waitingBytes] = [[], 0];
    }
  }
  yield Buffer.concat(waiting);
}

function explain(error: unknown): never {
  if (!(error instanceof UnreadablePicture)) throw error;
  throw invalid(
    'file',
    `its metadata cannot be removed, because it ${error.message}; with strip_metadata false it is stored as it is`,
  );
}
