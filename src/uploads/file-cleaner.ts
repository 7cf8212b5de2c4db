// Cleans an upload that is already spooled: an SVG loses its scripts, a picture its metadata. Of a picture, the bytes that will be stored
// are read again, and it is stored only if there is nothing left in them. Spec 2.1, 4.1; v2 3.
import { invalid } from '#core/errors.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { FileThreads } from '#uploads/file-threads.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { metadataKinds, UnreadablePicture, type MetadataKind } from '#uploads/metadata/cleaning.ts';
import { receiveFile, type ReceivedFile } from '#uploads/receive-file.ts';

export interface CleanFile {
  /** The file itself if there was nothing to remove. */
  file: ReceivedFile;
  /** Of the metadata. */
  removed: MetadataKind[];
}

export type FileCleaner = ReturnType<typeof createFileCleaner>;

export function createFileCleaner({ blobs, threads }: { blobs: Blobs; threads: FileThreads }) {
  /**
   * `owner` discards the new file if it is not stored. Rejects with `validation_error` if the file is broken, hostile or cannot be read with
   * certainty, with `unsupported_type` if it is no SVG, and with the reason of `signal`.
   */
  async function clean(
    accountId: string,
    type: ImageType,
    file: ReceivedFile,
    owner: AsyncDisposableStack,
    signal?: AbortSignal,
  ): Promise<CleanFile> {
    const { sizeBytes, sourceFilename, spool } = file;
    try {
      return await threads.run(accountId, { sizeBytes, signal }, async (inThread) => {
        const { bytes, found } = await inThread(type, await spool.read());
        if (!bytes) return { file, removed: [] };
        const receiver = owner.use(receiveFile(blobs, sourceFilename, accountId));
        await receiver.write(bytes);
        const stored = await receiver.finish();
        if (type === 'image/svg+xml') return { file: stored, removed: [] };
        const left = await inThread(type, await stored.spool.read());
        if (left.bytes) throw new Error(`metadata was left: ${left.found.join(', ')}`);
        return { file: stored, removed: metadataKinds.filter((kind) => found.includes(kind)) };
      });
    } catch (error) {
      throw error instanceof UnreadablePicture ? refusal(type, error) : error;
    }
  }

  return { clean };
}

const refusal = (type: ImageType, { message }: UnreadablePicture) =>
  invalid(
    'file',
    type === 'image/svg+xml'
      ? `the SVG ${message} to sanitize`
      : `its metadata cannot be removed, because it ${message}; with strip_metadata false it is stored as it is`,
  );
