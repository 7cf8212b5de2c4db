// Every blob store, for suites that loop over them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Blobs } from '#storage/blobs.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { createS3Blobs } from '#storage/s3-blobs.ts';
import { readConfig, type StorageLocation } from '#roof/config.ts';
import { startS3, type TestS3 } from './s3.ts';

export interface TestBlobStore {
  blobs: Blobs;
  /** Where spools are files. */
  spoolFolder: string;
  server: TestS3 | undefined;
  stop: () => Promise<void>;
}

export const blobStores: Record<'disk' | 's3', () => Promise<TestBlobStore>> = {
  async disk() {
    const folder = await mkdtemp(join(tmpdir(), 'tintype-disk-'));
    return {
      blobs: await createDiskBlobs(folder),
      spoolFolder: join(folder, 'spool'),
      server: undefined,
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
  async s3() {
    const folder = await mkdtemp(join(tmpdir(), 'tintype-spool-'));
    const server = await startS3();
    const { storage } = readConfig({ STORAGE_URL: server.newStorageUrl() });
    return {
      blobs: await createS3Blobs(storage as StorageLocation, folder),
      spoolFolder: join(folder, 'spool'),
      server,
      async stop() {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
