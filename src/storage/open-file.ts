// Writes a new file through its descriptor. Calls that may wait for the disk run in the thread pool. Closing a file and opening a
// folder that was just written to do not wait, and a trip through the thread pool costs more than either call.
import { closeSync, fsync, open, openSync, read, writev } from 'node:fs';
import { promisify } from 'node:util';

const openAsync = promisify(open);
const readAsync = promisify(read);
const writeAsync = promisify(writev);
const syncAsync = promisify(fsync);

export type OpenFile = Awaited<ReturnType<typeof createFile>>;

export async function createFile(path: string) {
  const descriptor = await openAsync(path, 'wx+', 0o600);
  let isOpen = true;
  return {
    async append(pieces: Buffer[]): Promise<void> {
      const wantedBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const { bytesWritten } = await writeAsync(descriptor, pieces);
      // On a full disk a write can be short without an error; the file is then incomplete.
      if (bytesWritten !== wantedBytes)
        throw new Error(`only ${bytesWritten} of ${wantedBytes} bytes could be written to disk`);
    },
    async read(from: number, maxBytes: number): Promise<Buffer> {
      const { bytesRead, buffer } = await readAsync(
        descriptor,
        Buffer.allocUnsafe(maxBytes),
        0,
        maxBytes,
        from,
      );
      return buffer.subarray(0, bytesRead);
    },
    sync: () => syncAsync(descriptor),
    /** May be called twice. The second call does nothing, because the descriptor's number may be in use again. */
    close(): void {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Makes the bytes of a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await syncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
