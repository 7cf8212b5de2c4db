// Holds bytes, invisible, until a blob store takes them: small ones in memory, larger ones in a file next to the store.
import { createHash } from 'node:crypto';
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
    createSpool: (writer = 'the service') => createSpool(folder.newPlace(), store, writer, inTurn),
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
function createSpool(place: SpoolPlace, store: Store, writer: string, inTurn: InTurn): Spool {
  const memory = createMemory();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let file: OpenFile | undefined;
  let flushing: Promise<OpenFile> | undefined;
  let isFinished = false;

  /** Writes what is in memory, and what comes after it, to the file. */
  function flush(...more: Buffer[]): Promise<OpenFile> {
    flushing = append([...memory.chunks(), ...more]);
    return flushing;
  }

  async function append(chunks: Buffer[]): Promise<OpenFile> {
    file ??= await createFile(place.path);
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
      hash.update(chunk);
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
    sha256: () => hash.digest('hex'),
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

/** Bytes in memory, in the order in which they came. */
function createMemory() {
  let chunks: Buffer[] = [];
  let sizeBytes = 0;
  return {
    chunks: (): readonly Buffer[] => chunks,
    /** False, and nothing is kept, if there is no room. */
    add(chunk: Buffer): boolean {
      if (sizeBytes + chunk.length > memoryBytes) return false;
      if (chunks.length === maxChunks) chunks = [Buffer.concat(chunks)];
      chunks.push(chunk);
      sizeBytes += chunk.length;
      return true;
    },
    clear(): void {
      chunks = [];
      sizeBytes = 0;
    },
  };
}
