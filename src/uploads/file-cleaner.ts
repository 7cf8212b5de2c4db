// Cleans an upload that is already spooled: an SVG loses its scripts, a picture its metadata. Spec 2.1, 4.1; v2 3.
import { invalid, ServiceError } from '#core/errors.ts';
import type { Asker, Cell } from '#cell/cell.ts';
import { CellBusy, Unreadable } from '#cell/work.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { CleanFacts, cleanFile } from '#uploads/clean-file.ts';
import type { measureFile } from '#uploads/dimensions.ts';
import { hasHeader, headerDimensions } from '#uploads/header-dimensions.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { receiveFile, type ReceivedFile } from '#uploads/receive-file.ts';

export interface CleanFile extends CleanFacts {
  /** The file itself if there was nothing to remove. */
  file: ReceivedFile;
}

export type FileCleaner = ReturnType<typeof createFileCleaner>;

/** A photo has its size after its metadata: a preview, a profile of colours. */
const beginningBytes = 256 * 1024;

export function createFileCleaner({ blobs, cell }: { blobs: Blobs; cell: Cell }) {
  /**
   * `owner` discards the new file if it is not stored. Rejects with `validation_error` if the file is broken, hostile or cannot be read with
   * certainty, with `unsupported_type` if it is no SVG, and with the reason of the asker's signal.
   */
  async function clean(
    asker: Asker,
    type: ImageType,
    file: ReceivedFile,
    owner: AsyncDisposableStack,
  ): Promise<CleanFile> {
    const { sizeBytes, sourceFilename, spool } = file;
    const sent = { sizeBytes, read: () => spool.read() };
    const { bytes, facts } = await cell
      .inCell<typeof cleanFile>('cleanFile', sent, { type }, asker)
      .catch((error: unknown) => {
        throw refusalOf(type, error);
      });
    if (!bytes) return { file, ...facts };
    const receiver = owner.use(receiveFile(blobs, sourceFilename, asker.accountId));
    await receiver.write(bytes);
    return { file: await receiver.finish(), ...facts };
  }

  /** For a file that is stored as it was sent. One that cannot be measured has no size. */
  async function measure(asker: Asker, type: ImageType, file: ReceivedFile): Promise<CleanFile> {
    const { sizeBytes, head, spool } = file;
    const isWhole = sizeBytes <= head.length;
    const shown = hasHeader(type) ? headerDimensions(type, head, isWhole) : undefined;
    if (shown || (hasHeader(type) && isWhole)) return { file, removed: [], dimensions: shown };
    const parts = hasHeader(type) && sizeBytes > beginningBytes ? [beginningBytes, sizeBytes] : [sizeBytes];
    try {
      for (const bytes of parts) {
        const sent = { sizeBytes: bytes, read: () => spool.read(bytes) };
        const order = { type, isWhole: bytes === sizeBytes };
        const { facts } = await cell.inCell<typeof measureFile>('measureFile', sent, order, asker);
        if (facts.dimensions) return { file, removed: [], ...facts };
      }
      return { file, removed: [], dimensions: undefined };
    } catch (error) {
      if (error instanceof Unreadable) return { file, removed: [], dimensions: undefined };
      throw error instanceof CellBusy ? busy(error.message) : error;
    }
  }

  return { clean, measure };
}

function refusalOf(type: ImageType, error: unknown): unknown {
  if (error instanceof CellBusy) return busy(error.message);
  if (!(error instanceof Unreadable)) return error;
  return invalid(
    'file',
    type === 'image/svg+xml'
      ? `the SVG ${error.message} to sanitize`
      : `its metadata cannot be removed, because it ${error.message}; with strip_metadata false it is stored as it is`,
  );
}

/** The contract has no other retryable error for a single file of a batch. Spec 2.2, 7. */
const busy = (reason: string): ServiceError =>
  new ServiceError('internal', `${reason}. The file was not stored and not metered; please retry.`, {
    cause: reason,
    details: { field: 'file' },
  });
