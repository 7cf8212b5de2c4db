// A new file by its descriptor. What may wait for the disk runs beside the event loop. Closing does not wait, and neither does
// opening a folder that was just written to: a turn through the thread pool costs more than either call.
import { closeSync, fsync, open, openSync, read, writev } from 'node:fs';
import { promisify } from 'node:util';

const openAside = promisify(open);
const readAside = promisify(read);
const writeAside = promisify(writev);
const syncAside = promisify(fsync);

export interface OpenFile {
  append(pieces: Buffer[]): Promise<void>;
  readStart(maxBytes: number): Promise<Buffer>;
  sync(): Promise<void>;
  /** May be called again: the number of a closed descriptor belongs to somebody else soon. */
  close(): void;
}

export async function createFile(path: string): Promise<OpenFile> {
  const descriptor = await openAside(path, 'wx+', 0o600);
  let isOpen = true;
  return {
    async append(pieces) {
      const wantedBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const { bytesWritten } = await writeAside(descriptor, pieces);
      // On a full disk a write can end early without an error; the bytes it took are then not the file.
      if (bytesWritten !== wantedBytes)
        throw new Error(`the disk took ${bytesWritten} of ${wantedBytes} bytes`);
    },
    async readStart(maxBytes) {
      const { bytesRead, buffer } = await readAside(descriptor, Buffer.allocUnsafe(maxBytes), 0, maxBytes, 0);
      return buffer.subarray(0, bytesRead);
    },
    sync: () => syncAside(descriptor),
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Makes the bytes of a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await syncAside(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
