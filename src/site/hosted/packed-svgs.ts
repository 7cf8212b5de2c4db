// SVGs are text and shrink to a quarter, so they are compressed for clients that accept it: once, and kept in memory. Nobody waits for a
// turn: while as many compressions run as are allowed, other files are sent as they are stored. So a client that asks for many
// different SVGs occupies at most that many threads of the pool, and delays no other request.
import { createBoundedMap } from '#core/bounded-map.ts';
import { compress, type Encoding } from '#http/encodings.ts';

const smallestBytes = 1024;
/** A larger one would keep a thread busy for too long, and push many others out of memory. */
const largestBytes = 1024 * 1024;
const totalBytes = 16 * 1024 * 1024;
const maxAtOnce = 2;

export function createPackedSvgs() {
  const kept = createBoundedMap<string, Buffer>(totalBytes, ({ length }) => length);
  const running = new Map<string, Promise<Buffer | undefined>>();

  async function pack(name: string, encoding: Encoding, read: () => Promise<Buffer | undefined>) {
    const bytes = await read();
    const packed = bytes && (await compress(encoding, bytes, { quality: 4 }));
    if (packed) kept.set(name, packed);
    return packed;
  }

  return {
    /** Undefined where the file is sent as it is stored. Equal files, by their hash, are compressed once. */
    async get(
      { hash, sizeBytes }: { hash: string; sizeBytes: number },
      encoding: Encoding,
      read: () => Promise<Buffer | undefined>,
    ): Promise<Buffer | undefined> {
      if (sizeBytes < smallestBytes || sizeBytes > largestBytes) return undefined;
      const name = `${hash}-${encoding}`;
      const known = kept.get(name) ?? running.get(name);
      if (known || running.size >= maxAtOnce) return known;
      const packing = pack(name, encoding, read).finally(() => running.delete(name));
      running.set(name, packing);
      return packing;
    },
  };
}
