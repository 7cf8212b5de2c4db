// Holds bytes, invisible, until a blob store takes them: small ones in memory, larger ones in a file next to the store.
import { createHash, hash as hashAtOnce, webcrypto, type Hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createFairQueue } from '#core/fair-queue.ts';
import { adoptFile } from '#storage/adopted-file.ts';
import type { AdoptedFile, FinishedFile, Spool, SpoolOptions } from '#storage/blobs.ts';
import { createDiskReads } from '#storage/disk-reads.ts';
import { createFile, type OpenFile } from '#storage/open-file.ts';
import { createSpoolFolder, type SpoolPlace } from '#storage/spool-folder.ts';

/** Up to this size a spool stays in memory until commit, so that most uploads cost one write and rejected ones none. */
const memoryBytes = 256 * 1024;
/**
 * Past this, incoming bytes are copied into a reused slab. Chunks kept until commit would outlive the young generation, and
 * collecting them costs more than the rest of an upload.
 */
const keptChunksBytes = 64 * 1024;
const hashedAtOnceBytes = 32 * 1024;
/** Two of the four threads that Node has for files. The others stay free for small uploads and for downloads. */
const writesAtOnce = 2;
/** Maximum number of free slabs kept for reuse. */
const spareSlabs = 32;

/** What a store makes durable under a key. */
export interface Spooled {
  sizeBytes: number;
  /** A copy of all bytes, if they never left memory. */
  inMemory(): Buffer | undefined;
  /** All bytes in a closed file, synced to disk if asked. The store may move the file. */
  toFile(options: { isSynced: boolean }): Promise<string>;
}

export type Store = (spooled: Spooled, key: string) => Promise<void>;

export interface Spools {
  create(store: Store, options?: SpoolOptions): Spool;
  adopt(store: Store, file: FinishedFile, account: string): Promise<AdoptedFile>;
  /** Deletes the files of processes that no longer run. */
  sweep(): Promise<void>;
}

export async function createSpools(path: string, reads = createDiskReads()): Promise<Spools> {
  const folder = createSpoolFolder(path);
  const writes = createFairQueue({
    concurrency: writesAtOnce,
    maxWaitMs: Infinity,
    tooLong: () => new Error('a write waited too long'),
  });
  /** Small blobs do not wait behind large ones. */
  const inTurn: InTurn = (writer, sizeBytes, work) =>
    sizeBytes > memoryBytes ? writes.run(writer, work) : work();
  return {
    create: (store, options) => createSpool(folder.newPlace(), store, inTurn, options),
    adopt: (store, file, account) =>
      adoptFile(file, {
        folder,
        reads,
        store,
        inTurn: (work) => inTurn(account, file.sizeBytes, work),
        reader: account,
      }),
    sweep: folder.sweep,
  };
}

type InTurn = <T>(writer: string, sizeBytes: number, work: () => Promise<T>) => Promise<T>;

const slabs: Buffer<ArrayBuffer>[] = [];

function createSpool(
  place: SpoolPlace,
  store: Store,
  inTurn: InTurn,
  { isHashed = false, writer = 'the service' }: SpoolOptions = {},
): Spool {
  const { path } = place;
  let chunks: Buffer[] = [];
  let waitingBytes = 0;
  let slab: Buffer<ArrayBuffer> | undefined;
  let sizeBytes = 0;
  let file: OpenFile | undefined;
  let finished = false;
  let flushing: Promise<OpenFile> | undefined;
  let hash: Hash | undefined;
  let keepsHash = isHashed;

  /** Bytes not yet written to the file. */
  const waiting = (): Buffer[] => (slab && waitingBytes > 0 ? [slab.subarray(0, waitingBytes)] : chunks);

  function flush(): Promise<OpenFile> {
    flushing = writeOut(waiting());
    return flushing;
  }

  async function writeOut(pieces: Buffer[]): Promise<OpenFile> {
    file ??= await createFile(path);
    if (pieces.length > 0) await file.append(pieces);
    if (keepsHash) {
      hash ??= createHash('sha256');
      for (const piece of pieces) hash.update(piece);
    }
    chunks = [];
    waitingBytes = 0;
    return file;
  }

  function takeSlab(): Buffer<ArrayBuffer> {
    const taken = slabs.pop() ?? Buffer.allocUnsafeSlow(memoryBytes);
    let at = 0;
    for (const chunk of chunks) at += chunk.copy(taken, at);
    chunks = [];
    return taken;
  }

  /** Call only when nothing reads the slab any more. */
  function release(): void {
    chunks = [];
    if (slab && slabs.length < spareSlabs) slabs.push(slab);
    slab = undefined;
    place.release();
  }

  return {
    write(chunk) {
      if (finished) return undefined;
      sizeBytes += chunk.length;
      if (waitingBytes + chunk.length > memoryBytes) {
        flushing = inTurn(writer, sizeBytes, () => writeOut([...waiting(), chunk]));
        return flushing.then(() => {});
      }
      if (!slab && waitingBytes + chunk.length > keptChunksBytes) slab = takeSlab();
      if (slab) chunk.copy(slab, waitingBytes);
      else chunks.push(chunk);
      waitingBytes += chunk.length;
      return undefined;
    },
    async read(maxBytes = sizeBytes) {
      if (!file) return Buffer.concat(waiting()).subarray(0, maxBytes);
      return (await flush()).readStart(Math.min(maxBytes, sizeBytes));
    },
    async sha256() {
      // Bytes flushed from here on are already in the hash.
      keepsHash = false;
      if (hash) {
        for (const piece of waiting()) hash.update(piece);
        return hash.digest('hex');
      }
      const [first = Buffer.alloc(0), ...more] = waiting();
      const bytes = more.length === 0 ? first : Buffer.concat([first, ...more]);
      if (bytes.length <= hashedAtOnceBytes) return hashAtOnce('sha256', bytes);
      // Off the event loop: for this many bytes the hand-over costs less than it saves.
      return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString(
        'hex',
      );
    },
    async commit(key) {
      const spooled: Spooled = {
        sizeBytes,
        inMemory: () => (file ? undefined : Buffer.concat(waiting())),
        toFile: ({ isSynced }) =>
          inTurn(writer, sizeBytes, async () => {
            const written = await flush();
            if (isSynced) await written.sync();
            written.close();
            return path;
          }),
      };
      await store(spooled, key);
      finished = true;
      release();
    },
    async [Symbol.asyncDispose]() {
      if (finished) return;
      finished = true;
      await flushing?.catch(() => {});
      file?.close();
      if (file) await rm(path, { force: true });
      release();
    },
  };
}
