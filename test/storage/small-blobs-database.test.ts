// The database of small blobs: what is in it, what happens when it fails, and how it is copied.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { noCrashPoints } from '#core/crash-points.ts';
import { newId } from '#core/ids.ts';
import { readBlob, wholeRange, type Blobs } from '#storage/blobs.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { copySmallBlobs, createSmallBlobs, maxSmallBytes } from '#storage/small-blobs.ts';
import { temporaryFolder } from '#test/support/processes.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const fileIn = (name: string): string => join(folder.path, name, 'small.db');

async function withSmall(name: string, use: (small: ReturnType<typeof createSmallBlobs>) => Promise<void>) {
  const small = createSmallBlobs(fileIn(name));
  try {
    await use(small);
  } finally {
    await small.close();
  }
}

const keysIn = (name: string): string[] => {
  using database = new DatabaseSync(fileIn(name));
  return database
    .prepare('select key from blobs order by key')
    .all()
    .map(({ key }) => String(key));
};

async function store(blobs: Blobs, bytes: Buffer, key = newId()): Promise<string> {
  await using spool = blobs.createSpool();
  await spool.write(bytes);
  await spool.commit(key);
  return key;
}

test('up to 16 KB is in the database, more in a file, and both are read and deleted alike', async () => {
  const blobs = await createDiskBlobs(folder.path, noCrashPoints, { smallFile: fileIn('.') });
  try {
    const contents = [randomBytes(maxSmallBytes), randomBytes(maxSmallBytes + 1)];
    const keys = await Promise.all(contents.map((bytes) => store(blobs, bytes)));
    assert.deepEqual(keysIn('.'), [keys[0]]);
    const files = await readdir(join(folder.path, 'store'), { recursive: true });
    assert.deepEqual(
      files.filter((file) => file.length > 2).map((file) => file.slice(3)),
      [keys[1]],
    );
    for (const [place, key] of keys.entries()) {
      const bytes = contents[place]!;
      assert.ok((await readBlob(blobs, key))?.equals(bytes));
      assert.ok((await blobs.readSmall?.(key, bytes.length))?.equals(bytes));
      await assert.rejects(async () => {
        using blob = await blobs.open(key, wholeRange(bytes.length + 1));
        await blob?.stream.toArray();
      }, /shorter than expected/);
      await blobs.delete(key);
      assert.equal(await blobs.open(key), undefined);
    }
    assert.deepEqual(keysIn('.'), []);
  } finally {
    await blobs.close?.();
  }
});

test('a group that cannot be committed fails, and the next one does not', async () => {
  await withSmall('a', async (small) => {
    using other = new DatabaseSync(fileIn('a'));
    other.exec(`create trigger refuse before insert on blobs begin select raise(abort, 'refused'); end`);
    const writes = [1, 2].map((number) => small.write(`refused-${number}`, Buffer.from('x')));
    for (const write of writes) await assert.rejects(write, /refused/);
    other.exec('drop trigger refuse');
    await small.write('kept', Buffer.from('x'));
    assert.deepEqual(keysIn('a'), ['kept']);
  });
});

test('changes that are under way end before the database is closed', async () => {
  let writes: Promise<void>[] = [];
  await withSmall('a', async (small) => {
    writes = Array.from({ length: 600 }, (_, number) => small.write(`key-${number}`, Buffer.from('x')));
  });
  assert.equal(keysIn('a').length, 600);
  await Promise.all(writes);
});

test('the file shrinks when blobs are deleted', async () => {
  await withSmall('a', async (small) => {
    const keys = Array.from({ length: 200 }, (_, number) => `key-${number}`);
    await Promise.all(keys.map((key) => small.write(key, randomBytes(10_000))));
    await Promise.all(keys.map((key) => small.delete(key)));
  });
  const { size } = await stat(fileIn('a'));
  assert.ok(size < 100_000, `${size} bytes are left of 2 MB`);
});

test('a mirror has what its source has; what is restored is added', async () => {
  await withSmall('a', async (small) => {
    for (const key of ['first', 'second']) await small.write(key, Buffer.from(key));
    assert.deepEqual(copySmallBlobs(fileIn('a'), fileIn('backup'), { isMirror: true }), {
      files: 2,
      newFiles: 2,
    });
    await small.delete('first');
    await small.write('third', Buffer.from('third'));
    assert.deepEqual(copySmallBlobs(fileIn('a'), fileIn('backup'), { isMirror: true }), {
      files: 2,
      newFiles: 1,
    });
  });
  assert.deepEqual(keysIn('backup'), ['second', 'third']);
  assert.deepEqual(await readdir(join(folder.path, 'backup')), ['small.db']);
  await withSmall('b', async (small) => {
    await small.write('own', Buffer.from('own'));
    copySmallBlobs(fileIn('backup'), fileIn('b'), { isMirror: false });
    assert.deepEqual(keysIn('b'), ['own', 'second', 'third']);
    assert.equal(String(small.read('third')), 'third');
  });
});
