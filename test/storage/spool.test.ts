// How accounts share the disk while their blobs are written.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createSpools } from '#storage/spool.ts';
import { temporaryFolder } from '#test/support/processes.ts';

const large = Buffer.alloc(300_000, 'x');

test('a large upload waits for one write of another account, not for all', async () => {
  await using folder = await openFolder();
  const spools = createSpools(folder.path, async () => {});
  await using owner = new AsyncDisposableStack();
  const finished: string[] = [];
  const write = async (writer: string, bytes: Buffer): Promise<void> => {
    await owner.use(spools.createSpool(writer)).write(bytes);
    finished.push(writer);
  };
  const larger = Buffer.alloc(20 * large.length, 'x');
  await Promise.all([...Array.from({ length: 20 }, () => write('many', larger)), write('one', large)]);
  assert.equal(finished.length, 21);
  // Two run at the beginning, and it is the third to begin. It is so much smaller that few of those beside it can finish first.
  assert.ok(finished.indexOf('one') <= 5, `it was number ${finished.indexOf('one') + 1} of 21`);
});

test('a spool of single bytes has them all, in order', async () => {
  await using folder = await openFolder();
  await using spool = createSpools(folder.path, async () => {}).createSpool();
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index));
  for (const byte of bytes) await spool.write(Buffer.of(byte));
  assert.ok(bytes.equals(await spool.read()));
  assert.equal(await spool.sha256(), hash('sha256', bytes));
});

test('spools that use the same memory one after another keep their own bytes, in memory and in a file', async () => {
  await using folder = await openFolder();
  const stored = new Map<string, Buffer>();
  const spools = createSpools(folder.path, async (spooled, key) => {
    stored.set(key, spooled.inMemory() ?? (await readFile(await spooled.toFile({ isSynced: false }))));
  });
  const bytesOf = (sizeBytes: number, seed: number) =>
    Buffer.from(Uint8Array.from({ length: sizeBytes }, (_, place) => place * seed + seed));
  for (const sizeBytes of [1_000, 65_536, 65_537, 200_000, 262_144, 262_145, 700_000]) {
    const sent = [1, 3, 5].map((seed) => bytesOf(sizeBytes, seed));
    await Promise.all(
      sent.map(async (bytes, place) => {
        await using spool = spools.createSpool(`account ${place}`);
        for (let start = 0; start < bytes.length; start += 50_000)
          await spool.write(bytes.subarray(start, start + 50_000));
        assert.equal(await spool.sha256(), hash('sha256', bytes), `the hash of ${sizeBytes} bytes`);
        await spool.commit(String(place));
      }),
    );
    for (const [place, bytes] of sent.entries())
      assert.ok(stored.get(String(place))?.equals(bytes), `${sizeBytes} bytes, number ${place}`);
  }
});

test('any part of a spool can be read, in memory and in a file', async () => {
  await using folder = await openFolder();
  const spools = createSpools(folder.path, async () => {});
  for (const sizeBytes of [1_000, 1_000_000]) {
    await using spool = spools.createSpool();
    const bytes = Buffer.alloc(sizeBytes, 'abcdefg');
    await spool.write(bytes);
    for (const [most, from] of [
      [10, 0],
      [10, 500],
      [sizeBytes, 500],
      [10, sizeBytes - 3],
      [10, sizeBytes],
      [10, Number.MAX_VALUE],
    ] as const)
      assert.ok(
        bytes.subarray(from, from + most).equals(await spool.read(most, from)),
        `${most} from ${from}`,
      );
  }
});

test('a spool that is discarded while its write waits leaves no file', async () => {
  await using folder = await openFolder();
  const spools = createSpools(folder.path, async () => {});
  const waiting = Array.from({ length: 5 }, () => spools.createSpool());
  const writes = waiting.map((spool) => spool.write(large));
  await Promise.all(waiting.map((spool) => spool[Symbol.asyncDispose]()));
  for (const write of writes) await write;
  assert.deepEqual(await readdir(folder.path), []);
});

async function openFolder() {
  const { path, remove } = await temporaryFolder();
  return { path, [Symbol.asyncDispose]: remove };
}
