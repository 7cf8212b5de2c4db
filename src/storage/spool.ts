// Holds bytes, invisible, until a blob store takes them: small ones in memory, larger ones in a file next to the store.
import { createHash, hash as hashAtOnce, webcrypto, type Hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createFairQueue } from '#core/fair-queue.ts';
import { adoptFile } from '#storage/adopted-file.ts';
import type { Blobs, Spool, Spooled, Store } from '#storage/blobs.ts';
import { createDiskReads } from '#storage/disk-reads.ts';
import { createFile, type OpenFile } from '#storage/open-file.ts';
import { createSpoolFolder, type SpoolPlace } from '#storage/spool-folder.ts';

/** Up to this size a spool stays in memory until commit, so that most uploads cost one write and rejected ones none. */
const memoryBytes = 256 * 1024;
/** Then they are joined: a client that sends single bytes would cost hundreds of times their size. */
const maxChunks = 64;
/** Past this they are copied into memory that is used again: collecting chunks that live until commit costs more than the copy. */
const maxChunkBytes = 64 * 1024;
/** As much memory as this many spools need is kept for the next ones. */
const maxSpareSlabs = 32;
/** More is hashed off the event loop, where it takes 0.7 ms for 200 KB; for less the trip takes longer. */
const maxHashedHereBytes = 32 * 1024;
/** Two of the four threads that Node has for files. The others stay free for small uploads and for downloads. */
const writesAtOnce = 2;

/** What the stores have in common: files on their way in. */
export function createSpools(
  path: string,
  put: Store,
  reads = createDiskReads(),
): Pick<Blobs, 'createSpool' | 'adopt' | 'sweepSpools' | 'storedBytes'> {
  const folder = createSpoolFolder(path);
  const writes = createFairQueue({ concurrency: writesAtOnce });
  /** Small blobs do not wait behind large ones. */
  const inTurn: InTurn = (writer, sizeBytes, work) =>
    sizeBytes > memoryBytes ? writes.run(writer, work) : work();
  let storedBytes = 0;
  const store: Store = async (spooled, key) => {
    await put(spooled, key);
    storedBytes += spooled.sizeBytes;
  };
  return {
    createSpool: (writer = 'the service', { isHashed } = { isHashed: true }) =>
      createSpool(folder.newPlace(), store, { writer, isHashed }, inTurn),
    adopt: (file, account) =>
      adoptFile(file, {
        place: folder.newPlace(),
        reads,
        store,
        inTurn: (work) => inTurn(account, file.sizeBytes, work),
        reader: account,
      }),
    sweepSpools: folder.sweep,
    storedBytes: () => storedBytes,
  };
}

type InTurn = <T>(writer: string, sizeBytes: number, work: () => Promise<T>) => Promise<T>;

/** Bytes are in memory until there are too many, then in a file, where memory collects what is written next. */
function createSpool(
  place: SpoolPlace,
  store: Store,
  { writer, isHashed }: { writer: string; isHashed: boolean },
  inTurn: InTurn,
): Spool {
  const memory = createMemory();
  /** The hash of what has left memory. */
  let hash: Hash | undefined;
  let sizeBytes = 0;
  let file: OpenFile | undefined;
  let flushing: Promise<OpenFile> | undefined;
  let hasDigest = false;
  let isFinished = false;

  /** Writes what is in memory, and what comes after it, to the file. */
  function flush(...more: Buffer[]): Promise<OpenFile> {
    flushing = append([...memory.chunks(), ...more]);
    return flushing;
  }

  async function append(chunks: Buffer[]): Promise<OpenFile> {
    file ??= await createFile(place.path);
    if (isHashed && !hasDigest)
      hash = chunks.reduce((sum, chunk) => sum.update(chunk), hash ?? createHash('sha256'));
    if (chunks.length > 0) await file.append(chunks);
    memory.clear();
    return file;
  }

  const toFile: Spooled['toFile'] = ({ isSynced }) =>
    inTurn(writer, sizeBytes, async () => {
      if (isFinished) throw new Error('the spool was discarded');
      const written = await flush();
      if (isSynced) await written.sync();
      written.close();
      return place.path;
    });

  function finish(): void {
    isFinished = true;
    memory.clear();
    place.release();
  }

  return {
    write(chunk) {
      if (isFinished) return undefined;
      sizeBytes += chunk.length;
      if (memory.add(chunk)) return undefined;
      flushing = inTurn(writer, sizeBytes, () => flush(chunk));
      return flushing.then(() => {});
    },
    async read(maxBytes = sizeBytes, from = 0) {
      if (!file) return Buffer.concat(memory.chunks()).subarray(from, from + maxBytes);
      const written = await flush();
      return from < sizeBytes ? written.read(from, Math.min(maxBytes, sizeBytes - from)) : Buffer.alloc(0);
    },
    toFile: () => toFile({ isSynced: false }),
    async sha256() {
      if (!isHashed) throw new Error('the spool has no hash');
      hasDigest = true;
      if (!hash) return hashOf(memory.chunks());
      return memory
        .chunks()
        .reduce((sum, chunk) => sum.update(chunk), hash)
        .digest('hex');
    },
    async commit(key) {
      const inMemory = () => (file ? undefined : Buffer.concat(memory.chunks()));
      await store({ sizeBytes, inMemory, toFile }, key);
      finish();
    },
    async [Symbol.asyncDispose]() {
      if (isFinished) return;
      isFinished = true;
      await flushing?.catch(() => {});
      file?.close();
      if (file) await rm(place.path, { force: true });
      finish();
    },
  };
}

async function hashOf(chunks: readonly Buffer[]): Promise<string> {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  if (bytes.length <= maxHashedHereBytes) return hashAtOnce('sha256', bytes);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString('hex');
}

/** Memory for the bytes of a spool each, that no spool has now. */
const spareSlabs: Buffer[] = [];

/** Bytes in memory, in the order in which they came. */
function createMemory() {
  let chunks: Buffer[] = [];
  let slab: Buffer | undefined;
  let sizeBytes = 0;

  function clear(): void {
    if (slab && spareSlabs.length < maxSpareSlabs) spareSlabs.push(slab);
    [chunks, slab, sizeBytes] = [[], undefined, 0];
  }

  return {
    /** Valid until they are cleared. */
    chunks: (): readonly Buffer[] => (slab ? [slab.subarray(0, sizeBytes)] : chunks),
    /** False, and nothing is kept, if there is no room. */
    add(chunk: Buffer): boolean {
      const nextBytes = sizeBytes + chunk.length;
      if (nextBytes > memoryBytes) return false;
      if (!slab && nextBytes > maxChunkBytes) {
        slab = spareSlabs.pop() ?? Buffer.allocUnsafeSlow(memoryBytes);
        Buffer.concat(chunks).copy(slab);
        chunks = [];
      }
      if (slab) chunk.copy(slab, sizeBytes);
      else {
        if (chunks.length === maxChunks) chunks = [Buffer.concat(chunks)];
        chunks.push(chunk);
      }
      sizeBytes = nextBytes;
      return true;
    },
    clear,
  };
}
