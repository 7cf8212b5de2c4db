// Where bytes wait, invisible, until a blob store takes them: small ones in memory, larger ones in a file beside the store.
import { createHash, hash as hashAtOnce, webcrypto, type Hash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#core/ids.ts';
import type { Spool } from '#storage/blobs.ts';
import { createFile, type OpenFile } from '#storage/open-file.ts';

/** Up to here a spool stays in memory until commit: most uploads then cost one write, and refused ones none. */
const memoryBytes = 256 * 1024;
/**
 * Past this, what comes in is copied into a slab that is used again and again. Were the chunks themselves kept until commit,
 * they would outlive the young generation, and collecting them costs more than everything else about an upload.
 */
const keptChunksBytes = 64 * 1024;
const hashedAtOnceBytes = 32 * 1024;
/** Slabs that wait for their next spool, at most. */
const spareSlabs = 32;

/** What a store is handed to make durable under a key. */
export interface Spooled {
  sizeBytes: number;
  /** A copy of all of it, where it never left memory. */
  inMemory(): Buffer | undefined;
  /** All of it in a file, closed, and synced to the disk if asked. The store may take the file away. */
  toFile(options: { isSynced: boolean }): Promise<string>;
}

type Store = (spooled: Spooled, key: string) => Promise<void>;

export interface Spools {
  create(store: Store, options?: { isHashed: boolean }): Spool;
  /** Drops the files of processes that are gone. */
  sweep(): Promise<void>;
}

export async function createSpools(folder: string): Promise<Spools> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    create: (store, options) => createSpool(folder, store, options),
    async sweep() {
      for (const name of await readdir(folder)) {
        const owner = Number(name.split('-')[0]);
        // Our own id on a file that we have not made is a leftover too: in a container every start has the same id.
        if (owner === process.pid ? !liveSpools.has(name) : !isAlive(owner))
          await rm(join(folder, name), { force: true });
      }
    },
  };
}

const liveSpools = new Set<string>();
const slabs: Buffer<ArrayBuffer>[] = [];

function createSpool(folder: string, store: Store, { isHashed } = { isHashed: false }): Spool {
  const name = `${process.pid}-${newId()}`;
  const path = join(folder, name);
  let chunks: Buffer[] = [];
  let waitingBytes = 0;
  let slab: Buffer<ArrayBuffer> | undefined;
  let sizeBytes = 0;
  let file: OpenFile | undefined;
  let finished = false;
  let flushing: Promise<OpenFile> | undefined;
  let hash: Hash | undefined;
  let keepsHash = isHashed;

  /** What has not been written to the file. */
  const waiting = (): Buffer[] => (slab && waitingBytes > 0 ? [slab.subarray(0, waitingBytes)] : chunks);

  function flush(last?: Buffer): Promise<OpenFile> {
    flushing = writeOut(last ? [...waiting(), last] : waiting());
    return flushing;
  }

  async function writeOut(pieces: Buffer[]): Promise<OpenFile> {
    liveSpools.add(name);
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

  /** Only when nothing reads it any more. */
  function letGo(): void {
    chunks = [];
    if (slab && slabs.length < spareSlabs) slabs.push(slab);
    slab = undefined;
    liveSpools.delete(name);
  }

  return {
    write(chunk) {
      if (finished) return undefined;
      sizeBytes += chunk.length;
      if (waitingBytes + chunk.length > memoryBytes) return flush(chunk).then(() => {});
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
      // What is written out from here on has been counted.
      keepsHash = false;
      if (hash) {
        for (const piece of waiting()) hash.update(piece);
        return hash.digest('hex');
      }
      const [first = Buffer.alloc(0), ...more] = waiting();
      const bytes = more.length === 0 ? first : Buffer.concat([first, ...more]);
      if (bytes.length <= hashedAtOnceBytes) return hashAtOnce('sha256', bytes);
      // Beside the event loop: for this many bytes that costs less than it spares.
      return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString(
        'hex',
      );
    },
    async commit(key) {
      const spooled: Spooled = {
        sizeBytes,
        inMemory: () => (file ? undefined : Buffer.concat(waiting())),
        async toFile({ isSynced }) {
          const written = await flush();
          if (isSynced) await written.sync();
          written.close();
          return path;
        },
      };
      await store(spooled, key);
      finished = true;
      letGo();
    },
    async [Symbol.asyncDispose]() {
      if (finished) return;
      finished = true;
      await flushing?.catch(() => {});
      file?.close();
      if (file) await rm(path, { force: true });
      letGo();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
