// Blobs as files: spooled beside the store, synced, renamed into a fan-out folder, and the folder synced too, so that
// what was acknowledged is there after a power cut.
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { newId } from '#core/ids.ts';
import type { Blobs, ByteRange, Spool } from '#storage/blobs.ts';

/** Up to here a spool stays in memory until commit: most uploads then cost one write, and refused ones none. */
const memoryBytes = 256 * 1024;

export async function createDiskBlobs(folder: string): Promise<Blobs> {
  const spools = join(folder, 'spool');
  const store = join(folder, 'store');
  await mkdir(spools, { recursive: true, mode: 0o700 });
  await mkdir(store, { recursive: true, mode: 0o700 });
  const knownFolders = new Set<string>();

  async function fanOutFolder(key: string): Promise<string> {
    const path = join(store, key.slice(0, 2));
    if (!knownFolders.has(path)) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      await syncFolder(store);
      knownFolders.add(path);
    }
    return path;
  }
  const pathOf = (key: string): string => join(store, key.slice(0, 2), key);

  return {
    createSpool: () =>
      createSpool(join(spools, `${process.pid}-${newId()}`), async (path, key) => {
        const target = await fanOutFolder(key);
        await rename(path, join(target, key));
        await syncFolder(target);
      }),
    async open(key, range) {
      const file = await open(pathOf(key), 'r').catch(ignoreMissing);
      return file && streamOf(file, range);
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    async *list() {
      for (const folderName of await readdir(store)) {
        const names = await readdir(join(store, folderName));
        yield await Promise.all(
          names.map(async (key) => ({
            key,
            modifiedAt: (await stat(pathOf(key)).catch(ignoreMissing))?.mtimeMs ?? 0,
          })),
        );
      }
    },
    async sweepSpools() {
      for (const name of await readdir(spools)) {
        const owner = Number(name.split('-')[0]);
        // Our own id on a file that we have not made is a leftover too: in a container every start has the same id.
        if (owner === process.pid ? !liveSpools.has(name) : !isAlive(owner))
          await rm(join(spools, name), { force: true });
      }
    },
    ping: () => access(store, constants.W_OK),
  };
}

const liveSpools = new Set<string>();

function createSpool(path: string, moveIntoStore: (path: string, key: string) => Promise<void>): Spool {
  const name = path.slice(path.lastIndexOf('/') + 1);
  let inMemory: Buffer[] = [];
  let inMemoryBytes = 0;
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
      if (inMemoryBytes > memoryBytes) await flush();
    },
    async read() {
      if (!file) return Buffer.concat(inMemory);
      const { size } = await (await flush()).stat();
      const bytes = Buffer.allocUnsafe(size);
      await file.read(bytes, 0, size, 0);
      return bytes;
    },
    async commit(key) {
      const handle = await flush();
      await handle.sync();
      await handle.close();
      await moveIntoStore(path, key);
      finished = true;
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

function streamOf(file: FileHandle, range: ByteRange | undefined): Readable {
  return file.createReadStream(range && { start: range.start, end: range.end });
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
