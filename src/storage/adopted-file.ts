// Takes over a finished file from a process that is trusted less, such as one that opened a stranger's page. The file is moved
// before it is looked at: in its old folder, that process could replace it after the check.
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { openBlob, wholeRange, type AdoptedFile, type FinishedFile, type Store } from '#storage/blobs.ts';
import type { DiskReads } from '#storage/disk-reads.ts';
import { createFile, syncPath } from '#storage/open-file.ts';
import { makeDescriptorPrivate } from '#storage/private-file.ts';
import type { SpoolPlace } from '#storage/spool-folder.ts';

interface Parts {
  place: SpoolPlace;
  reads: DiskReads;
  store: Store;
  /** Runs a write when it is the account's turn. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** The account that the disk is read for. */
  reader: string;
}

export async function adoptFile(
  { path: from, sizeBytes }: FinishedFile,
  { place, reads, store, inTurn, reader }: Parts,
): Promise<AdoptedFile> {
  const { path } = place;
  let isGone = false;

  async function discard(): Promise<void> {
    if (isGone) return;
    isGone = true;
    await rm(path, { force: true });
    place.release();
  }

  try {
    // A folder cannot be renamed to the name of a file. In the spool, its contents would still belong to the other process.
    (await createFile(path)).close();
    await rename(from, path);
    await check(path, sizeBytes);
  } catch (error) {
    await Promise.allSettled([rm(from, { force: true }), discard()]);
    throw new Error(`the file ${from} cannot be taken over`, { cause: error });
  }

  return {
    async open() {
      const file = await open(path, 'r');
      return openBlob(reads.stream(file, reader, wholeRange(sizeBytes)));
    },
    async commit(key) {
      const toFile = ({ isSynced }: { isSynced: boolean }) =>
        inTurn(async () => {
          if (isSynced) await syncPath(path);
          return path;
        });
      await store({ sizeBytes, inMemory: () => undefined, toFile }, key);
      isGone = true;
      place.release();
    },
    [Symbol.asyncDispose]: discard,
  };
}

/** Rejects a link to a file of someone else, and anything that is not a file of this size. */
async function check(path: string, sizeBytes: number): Promise<void> {
  // Opening a named pipe would wait for its other end.
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile()) throw new Error('it is not a regular file');
  if (found.nlink !== 1) throw new Error(`it has ${found.nlink} names`);
  if (found.size !== sizeBytes) throw new Error(`it has ${found.size} bytes instead of ${sizeBytes}`);
  makeDescriptorPrivate(file.fd);
}
