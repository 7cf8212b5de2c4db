// What every blob store must do, told once and run on each.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newId } from '#core/ids.ts';
import type { Blobs, ByteRange, StoredBlob } from '#storage/blobs.ts';
import { eventually } from '../support/eventually.ts';
import { blobStores, type TestBlobStore } from '../support/blob-stores.ts';

const small = 10_000;
const large = 3_000_000;

/** Without the difference that assert would draw of millions of bytes. */
function same(actual: Buffer | undefined, expected: Buffer): void {
  assert.equal(actual?.length, expected.length);
  assert.ok(actual?.equals(expected), 'the bytes differ');
}

for (const [name, start] of Object.entries(blobStores)) {
  describe(name, () => {
    let store: TestBlobStore;
    let blobs: Blobs;

    before(async () => {
      store = await start();
      ({ blobs } = store);
    });
    after(() => store?.stop());

    async function put(bytes: Buffer, key = newId()): Promise<string> {
      const spool = blobs.createSpool();
      for (let at = 0; at < bytes.length; at += 65_536) await spool.write(bytes.subarray(at, at + 65_536));
      await spool.commit(key);
      await spool.discard();
      return key;
    }
    async function get(key: string, range?: ByteRange): Promise<Buffer | undefined> {
      const stream = await blobs.open(key, range);
      return stream && Buffer.concat((await stream.toArray()) as Buffer[]);
    }
    async function list(): Promise<StoredBlob[]> {
      const found: StoredBlob[] = [];
      for await (const batch of blobs.list()) found.push(...batch);
      return found;
    }
    const keys = async (): Promise<string[]> => (await list()).map(({ key }) => key);
    const spoolFiles = (): Promise<string[]> => readdir(store.spoolFolder);

    test('answers', () => blobs.ping());

    for (const size of [0, 1, small, 256 * 1024, 256 * 1024 + 1, large]) {
      test(`${size} bytes come back as they were written, and no spool stays`, async () => {
        const bytes = randomBytes(size);
        const key = await put(bytes);
        same(await get(key), bytes);
        assert.deepEqual(await spoolFiles(), []);
      });
    }

    test('a range is those bytes, both ends included', async () => {
      const bytes = randomBytes(large);
      const key = await put(bytes);
      same(await get(key, { start: 0, end: 1 }), bytes.subarray(0, 2));
      same(await get(key, { start: 1_000, end: 2_999 }), bytes.subarray(1_000, 3_000));
      same(await get(key, { start: large - 5, end: large - 1 }), bytes.subarray(large - 5));
    });

    test('an unknown key is undefined to read and harmless to delete', async () => {
      assert.equal(await blobs.open(newId()), undefined);
      await blobs.delete(newId());
    });

    test('what is spooled is read back before commit, small or large', async () => {
      for (const size of [small, large]) {
        const bytes = randomBytes(size);
        const spool = blobs.createSpool();
        for (let at = 0; at < size; at += 65_536) await spool.write(bytes.subarray(at, at + 65_536));
        same(await spool.read(), bytes);
        await spool.discard();
      }
      assert.deepEqual(await spoolFiles(), []);
    });

    test('what was discarded was never there', async () => {
      const before = (await keys()).length;
      const spool = blobs.createSpool();
      await spool.write(randomBytes(large));
      await spool.discard();
      await spool.discard();
      assert.equal((await keys()).length, before);
      assert.deepEqual(await spoolFiles(), []);
    });

    test('blobs are listed with their time until they are deleted', async () => {
      const key = await put(randomBytes(small));
      const listed = (await list()).find((blob) => blob.key === key);
      assert.ok(listed && Math.abs(listed.modifiedAt - Date.now()) < 60_000);
      await blobs.delete(key);
      assert.equal(await get(key), undefined);
      assert.equal((await keys()).includes(key), false);
    });

    test('spools of processes that are gone are dropped, those at work stay', async () => {
      const spool = blobs.createSpool();
      await spool.write(randomBytes(large));
      await writeFile(join(store.spoolFolder, '999999999-left'), 'x');
      await writeFile(join(store.spoolFolder, `${process.pid}-earlier`), 'x');
      await blobs.sweepSpools();
      assert.equal((await spoolFiles()).length, 1);
      await spool.commit(newId());
      assert.deepEqual(await spoolFiles(), []);
    });

    if (name === 's3') {
      test('more blobs than one page of the listing holds', async () => {
        const made = new Set<string>();
        while (made.size < 1_010) {
          const keys = Array.from({ length: 40 }, () => newId());
          await Promise.all(keys.map((key) => put(Buffer.from('x'), key)));
          for (const key of keys) made.add(key);
        }
        assert.deepEqual(made.difference(new Set(await keys())), new Set());
      });

      test('a signed address gives the bytes with the type and name it was made for', async () => {
        const bytes = randomBytes(small);
        const url = await blobs.signedUrl?.(await put(bytes), {
          contentType: 'image/png',
          contentDisposition: 'attachment; filename="a.png"',
          cacheControl: 'public, max-age=7',
          lifeSeconds: 60,
        });
        const response = await fetch(url ?? '');
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'image/png');
        assert.equal(response.headers.get('content-disposition'), 'attachment; filename="a.png"');
        assert.equal(response.headers.get('cache-control'), 'public, max-age=7');
        same(Buffer.from(await response.arrayBuffer()), bytes);
      });

      test('an outage fails quickly, leaves nothing, and ends by itself', async () => {
        const key = await put(randomBytes(small));
        await store.server?.pause();
        const started = performance.now();
        for (const size of [small, large]) {
          const spool = blobs.createSpool();
          await spool.write(randomBytes(size));
          await assert.rejects(spool.commit(newId()));
          await spool.discard();
        }
        await assert.rejects(blobs.ping());
        await assert.rejects(blobs.open(key));
        assert.ok(performance.now() - started < 5_000);
        assert.deepEqual(await spoolFiles(), []);
        await store.server?.resume();
        await eventually(blobs.ping);
        assert.equal((await get(key))?.length, small);
      });
    }
  });
}
