// Where bytes wait, invisible, until a blob store takes them: small ones in memory, larger ones in a file beside the store.
import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#core/ids.ts';
import type { Spool } from '#storage/blobs.ts';

/** Up to here a spool stays in memory until commit: most uploads then cost one write, and refused ones none. */
const memoryBytes = 256 * 1024;

/** What a store is handed to make durable under a key. */
export interface Spooled {
  sizeBytes: number;
  /** All of it, where it never left memory. */
  inMemory: Buffer | undefined;
  /** All of it in a file, closed, and synced to the disk if asked. The store may take the file away. */
  toFile(options: { isSynced: boolean }): Promise<string>;
}

export interface Spools {
  create(store: (spooled: Spooled, key: string) => Promise<void>): Spool;
  /** Drops the files of processes that are gone. */
  sweep(): Promise<void>;
}

export async function createSpools(folder: string): Promise<Spools> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    create: (store) => createSpool(folder, store),
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

function createSpool(folder: string, store: (spooled: Spooled, key: string) => Promise<void>): Spool {
  const name = `${process.pid}-${newId()}`;
  const path = join(folder, name);
  let inMemory: Buffer[] = [];
  let inMemoryBytes = 0;
  let sizeBytes = 0;
  let file: FileHandle | undefined;
  let finished = false;
  let flushing: Promise<FileHandle> | undefined;

  function flush(): Promise<FileHandle> {
    flushing = writeOut();
    return flushing;
  }

  async function writeOut(): Promise<FileHandle> {
    const chunks = inMemory;
    inMemory = [];
    inMemoryBytes = 0;
    liveSpools.add(name);
    file ??= await open(path, 'wx+', 0o600);
    if (chunks.length > 0) await writeAll(file, chunks);
    return file;
  }

  return {
    async write(chunk) {
      if (finished) return;
      inMemory.push(chunk);
      inMemoryBytes += chunk.length;
      sizeBytes += chunk.length;
      if (inMemoryBytes > memoryBytes) await flush();
    },
    async read() {
      if (!file) return Buffer.concat(inMemory);
      const bytes = Buffer.allocUnsafe(sizeBytes);
      await (await flush()).read(bytes, 0, sizeBytes, 0);
      return bytes;
    },
    async commit(key) {
      const spooled: Spooled = {
        sizeBytes,
        inMemory: file ? undefined : Buffer.concat(inMemory),
        async toFile({ isSynced }) {
          const handle = await flush();
          if (isSynced) await handle.sync();
          await handle.close();
          return path;
        },
      };
      await store(spooled, key);
      finished = true;
      inMemory = [];
      liveSpools.delete(name);
    },
    async discard() {
      if (finished) return;
      finished = true;
      inMemory = [];
      await flushing?.catch(() => {});
      await file?.close().catch(() => {});
      if (file) await rm(path, { force: true });
      liveSpools.delete(name);
    },
  };
}

/** On a full disk a write can end early without an error; the bytes it took are then not the file. */
async function writeAll(file: FileHandle, chunks: Buffer[]): Promise<void> {
  const wantedBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten !== wantedBytes) {
    throw new Error(`the disk took ${bytesWritten} of ${wantedBytes} bytes`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
