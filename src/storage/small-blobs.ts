// Caches the bytes of recently read small blobs to save disk reads. Whether a file still resolves is decided from its row on
// every request. A blob never changes under its key, so the cache cannot go stale.
import { createBoundedMap } from '#core/bounded-map.ts';

/** Larger ones are streamed. */
const maxBytes = 256 * 1024;
const totalBytes = 32 * 1024 * 1024;

export function createSmallBlobs(load: (key: string, sizeBytes: number) => Promise<Buffer | undefined>) {
  const kept = createBoundedMap<string, Buffer>(totalBytes, ({ length }) => length);

  return {
    /** The whole blob; undefined if it is too large for the cache or does not exist. */
    async read(key: string, sizeBytes: number): Promise<Buffer | undefined> {
      if (sizeBytes > maxBytes) return undefined;
      const known = kept.get(key);
      if (known) return known;
      const bytes = await load(key, sizeBytes);
      if (bytes) kept.set(key, bytes);
      return bytes;
    },
    forget: kept.delete,
  };
}
