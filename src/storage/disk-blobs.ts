// Blobs as files. Each is spooled next to the store, synced, renamed into a fan-out folder, and the folder is synced too, so
// that an acknowledged file survives a power cut.
import { constants } from 'node:fs';
import { access, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createBoundedMap } from '#core/bounded-map.ts';
import { noCrashPoints } from '#core/crash-points.ts';
import { isPlace, placeOf } from '#storage/blob-place.ts';
import { openBlob, type Blobs, type Spooled } from '#storage/blobs.ts';
import { createDiskReads } from '#storage/disk-reads.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { syncPath } from '#storage/open-file.ts';
import { createSpools } from '#storage/spool.ts';

/** Blobs up to this size are read whole and cached, to save disk reads; larger ones are streamed. */
const maxSmallBytes = 256 * 1024;
const cacheBytes = 32 * 1024 * 1024;

export async function createDiskBlobs(folder: string, reached = noCrashPoints): Promise<Blobs> {
  const store = join(folder, 'store');
  makeFolder(store);
  const reads = createDiskReads();
  /** Subfolders whose own names have been synced. */
  const knownFolders = new Set<string>();

  async function put(spooled: Spooled, key: string): Promise<void> {
    const path = await spooled.toFile({ isSynced: true });
    reached('file synced');
    const target = dirname(pathOf(key));
    const isNew = !knownFolders.has(target);
    if (isNew) makeFolder(target);
    await rename(path, pathOf(key));
    reached('file renamed');
    // The name of the file in its folder and, the first time, the name of the folder.
    await Promise.all([syncPath(target), isNew && syncPath(store)]);
    knownFolders.add(target);
  }
  const pathOf = (key: string): string => join(store, placeOf(key));
  /** A blob never changes under its key, and whether it still resolves is decided from its row on every request. */
  const cache = createBoundedMap<string, Buffer>(cacheBytes, ({ length }) => length);

  return {
    ...createSpools(join(folder, 'spool'), put, reads),
    async open(key, range, reader = 'the service') {
      const file = await open(pathOf(key), 'r').catch(ignoreMissing);
      return file && openBlob(reads.stream(file, reader, range));
    },
    async readSmall(key, sizeBytes) {
      const known = cache.get(key);
      if (known || sizeBytes > maxSmallBytes) return known;
      await using file = await open(pathOf(key), 'r').catch(ignoreMissing);
      if (!file) return undefined;
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(sizeBytes), 0, sizeBytes, 0);
      if (bytesRead !== sizeBytes) return undefined;
      cache.set(key, buffer);
      return buffer;
    },
    async delete(key) {
      cache.delete(key);
      await rm(pathOf(key), { force: true });
    },
    async *list() {
      for (const entry of await readdir(store, { withFileTypes: true })) {
        if (!entry.isDirectory()) continue;
        const names = await readdir(join(store, entry.name));
        const keys = names.filter((name) => isPlace(entry.name, name));
        yield await Promise.all(
          keys.map(async (key) => ({
            key,
            modifiedAt: (await stat(pathOf(key)).catch(ignoreMissing))?.mtimeMs ?? 0,
          })),
        );
      }
    },
    ping: () => access(store, constants.W_OK),
  };
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
