// The in-memory cache of small blobs. A blob whose file is gone from the disk can be read only if it was cached.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '#core/ids.ts';
import { placeOf } from '#storage/blob-place.ts';
import type { Blobs } from '#storage/blobs.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { temporaryFolder } from '#test/support/processes.ts';

const smallBytes = 256 * 1024;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let blobs: Blobs;
before(async () => {
  folder = await temporaryFolder();
  blobs = await createDiskBlobs(folder.path);
});
after(() => folder.remove());

const loseFile = (key: string): Promise<void> => rm(join(folder.path, 'store', placeOf(key)));
const read = async (key: string, sizeBytes: number): Promise<number | undefined> =>
  (await blobs.readSmall?.(key, sizeBytes))?.length;

async function store(sizeBytes: number, key = newId()): Promise<string> {
  await using spool = blobs.createSpool();
  await spool.write(Buffer.alloc(sizeBytes, 'x'));
  await spool.commit(key);
  return key;
}

test('a blob is read from the disk once', async () => {
  const key = await store(3);
  assert.equal(await read(key, 3), 3);
  await loseFile(key);
  assert.equal(await read(key, 3), 3);
});

test('a large blob is not cached, and a missing one is looked up again', async () => {
  assert.equal(await read(await store(smallBytes + 1), smallBytes + 1), undefined);
  const key = newId();
  assert.equal(await read(key, 3), undefined);
  await store(3, key);
  assert.equal(await read(key, 3), 3);
});

test('a blob of another size than expected is not read', async () => {
  assert.equal(await read(await store(2), 3), undefined);
});

test('a deleted blob is removed from the cache', async () => {
  const key = await store(3);
  await read(key, 3);
  await blobs.delete(key);
  await blobs.delete(newId());
  assert.equal(await read(key, 3), undefined);
});

test('the least recently used blobs are evicted', async () => {
  const keys = await Promise.all(Array.from({ length: 129 }, () => store(smallBytes)));
  const [first = '', second = '', ...others] = keys;
  const last = others.at(-1) ?? '';
  for (const key of keys.slice(0, -1)) await read(key, smallBytes);
  await read(first, smallBytes);
  await read(last, smallBytes);
  await Promise.all(keys.map(loseFile));
  assert.equal(await read(first, smallBytes), smallBytes);
  assert.equal(await read(last, smallBytes), smallBytes);
  assert.equal(await read(second, smallBytes), undefined);
});
