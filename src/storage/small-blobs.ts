// The bytes of small blobs that were asked for lately. Whether a thing still resolves is decided from its row, each time and
// elsewhere: what is kept here only spares the disk. A blob never changes under its key, so nothing here goes stale.
import { createBoundedMap } from '#core/bounded-map.ts';

/** Larger ones are streamed. */
const largestBytes = 256 * 1024;
const totalBytes = 32 * 1024 * 1024;

export interface SmallBlobs {
  /** All of a blob of this size; undefined where it is too large to be kept, or is not there. */
  read(key: string, sizeBytes: number): Promise<Buffer | undefined>;
  forget(key: string): void;
}

export function createSmallBlobs(
  load: (key: string, sizeBytes: number) => Promise<Buffer | undefined>,
): SmallBlobs {
  const kept = createBoundedMap<string, Buffer>(totalBytes, ({ length }) => length);

  return {
    async read(key, sizeBytes) {
      if (sizeBytes > largestBytes) return undefined;
      const known = kept.get(key);
      if (known) return known;
      const bytes = await load(key, sizeBytes);
      if (bytes) kept.set(key, bytes);
      return bytes;
    },
    forget: kept.delete,
  };
}
