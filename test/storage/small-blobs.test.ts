// The in-memory cache of small blobs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSmallBlobs } from '#storage/small-blobs.ts';

const kib = 1024;

function counted() {
  const loaded: string[] = [];
  const small = createSmallBlobs(async (key, sizeBytes) => {
    loaded.push(key);
    return key === 'missing' ? undefined : Buffer.alloc(sizeBytes, key);
  });
  return { small, loaded };
}

test('a blob is read from the disk once', async () => {
  const { small, loaded } = counted();
  for (let round = 0; round < 3; round += 1) assert.equal(String(await small.read('a', 3)), 'aaa');
  assert.deepEqual(loaded, ['a']);
});

test('a large blob is not cached, and a missing one is looked up again', async () => {
  const { small, loaded } = counted();
  assert.equal(await small.read('large', 256 * kib + 1), undefined);
  assert.equal(await small.read('missing', 3), undefined);
  assert.equal(await small.read('missing', 3), undefined);
  assert.deepEqual(loaded, ['missing', 'missing']);
});

test('a deleted blob is removed from the cache', async () => {
  const { small, loaded } = counted();
  await small.read('a', 3);
  small.forget('a');
  small.forget('never seen');
  await small.read('a', 3);
  assert.deepEqual(loaded, ['a', 'a']);
});

test('the least recently used blobs are evicted', async () => {
  const { small, loaded } = counted();
  const keys = Array.from({ length: 128 }, (_, index) => `k${index}`);
  for (const key of keys) await small.read(key, 256 * kib);
  await small.read('k0', 256 * kib);
  await small.read('one more', 256 * kib);
  await small.read('k0', 256 * kib);
  await small.read('k1', 256 * kib);
  assert.deepEqual(loaded, [...keys, 'one more', 'k1']);
});
