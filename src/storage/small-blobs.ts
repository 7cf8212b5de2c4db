// The bytes of small blobs that were asked for lately. Whether a thing still resolves is decided from its row, each time and
// elsewhere: what is kept here only spares the disk. A blob never changes under its key, so nothing here goes stale.

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
  // In the order of their last use.
  const kept = new Map<string, Buffer>();
  let keptBytes = 0;

  function forget(key: string): void {
    keptBytes -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  function keep(key: string, bytes: Buffer): void {
    forget(key);
    kept.set(key, bytes);
    keptBytes += bytes.length;
    for (const oldest of kept.keys()) {
      if (keptBytes <= totalBytes) break;
      forget(oldest);
    }
  }

  return {
    async read(key, sizeBytes) {
      if (sizeBytes > largestBytes) return undefined;
      const known = kept.get(key);
      if (known) {
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const bytes = await load(key, sizeBytes);
      if (bytes) keep(key, bytes);
      return bytes;
    },
    forget,
  };
}
