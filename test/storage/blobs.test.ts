// What every blob store must do.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { newId } from '#core/ids.ts';
import { readBlob, wholeRange, type ByteRange, type StoredBlob } from '#storage/blobs.ts';
import { sweepOrphans } from '#storage/free-blobs.ts';
import { timeBlobs } from '#storage/timed-blobs.ts';
import { blobEngines, type OpenBlobs } from '#test/storage/engines.ts';

for (const engine of blobEngines) {
  describe(`blobs on ${engine.name}`, () => {
    let opened: OpenBlobs;
    before(async () => {
      opened = await engine.open();
    });
    after(() => opened.close());

    const read = async (key: string, range?: ByteRange): Promise<Buffer | undefined> => {
      using blob = await opened.blobs.open(key, range);
      return blob && (await buffer(blob.stream));
    };
    const store = async (bytes: Buffer, key = newId()): Promise<string> => {
      const spool = opened.blobs.createSpool();
      await spool.write(bytes);
      await spool.commit(key);
      return key;
    };
    const list = async (): Promise<StoredBlob[]> => {
      const all: StoredBlob[] = [];
      for await (const batch of opened.blobs.list()) all.push(...batch);
      return all;
    };

    test('answers a ping', () => opened.blobs.ping());

    test('notes the time of writes, reads and deletions', async () => {
      const noted: string[] = [];
      const blobs = timeBlobs(opened.blobs, (operation, durationMs) => {
        assert.ok(durationMs >= 0);
        noted.push(operation);
      });
      await using spool = blobs.createSpool();
      await spool.write(Buffer.from('0123456789'));
      const key = newId();
      await spool.commit(key);
      assert.equal(String(await readBlob(blobs, key)), '0123456789');
      await blobs.delete(key);
      const path = join(opened.folder, newId());
      await writeFile(path, '01234');
      await using adopted = await blobs.adopt({ path, sizeBytes: 5 }, 'an account');
      await adopted.commit(newId());
      assert.deepEqual(noted, ['write', 'read', 'delete', 'write']);
    });

    // Around 256 KB the disk's spool moves from memory to a file; 6 MB is more than one part of a multipart upload.
    for (const sizeBytes of [0, 1, 256 * 1024, 256 * 1024 + 1, 6 * 1024 * 1024]) {
      test(`${sizeBytes} bytes in pieces come back whole`, async () => {
        const bytes = randomBytes(sizeBytes);
        const spool = opened.blobs.createSpool();
        for (let at = 0; at < sizeBytes; at += 65_536) await spool.write(bytes.subarray(at, at + 65_536));
        assert.ok(bytes.equals(await spool.read()), 'before commit');
        const key = newId();
        assert.equal(await opened.blobs.open(key), undefined, 'invisible until commit');
        await spool.commit(key);
        assert.ok(bytes.equals((await read(key)) ?? Buffer.from('missing')));
        assert.ok(
          bytes.equals((await read(key, wholeRange(sizeBytes))) ?? Buffer.from('missing')),
          'by its size',
        );
        await spool[Symbol.asyncDispose]();
        assert.ok(await readBlob(opened.blobs, key), 'disposal is harmless now');
      });
    }

    test('reading from a spool between writes changes nothing', async () => {
      const spool = opened.blobs.createSpool();
      const pieces = [randomBytes(300_000), randomBytes(10), randomBytes(300_000)];
      for (const [index, piece] of pieces.entries()) {
        await spool.write(piece);
        assert.ok(Buffer.concat(pieces.slice(0, index + 1)).equals(await spool.read()));
      }
      const key = newId();
      await spool.commit(key);
      assert.ok(Buffer.concat(pieces).equals((await read(key)) ?? Buffer.alloc(0)));
    });

    test('ranges, both ends included', async () => {
      const key = await store(Buffer.from('0123456789'));
      assert.equal(String(await read(key, { start: 0, end: 0 })), '0');
      assert.equal(String(await read(key, { start: 3, end: 5 })), '345');
      assert.equal(String(await read(key, { start: 9, end: 9 })), '9');
      assert.equal(String(await read(key, { start: 0, end: 9 })), '0123456789');
    });

    test('a discarded spool is gone; writing to it afterwards is harmless', async () => {
      for (const sizeBytes of [10, 300_000]) {
        const before = (await list()).length;
        const spool = opened.blobs.createSpool();
        await spool.write(randomBytes(sizeBytes));
        await spool[Symbol.asyncDispose]();
        await spool.write(randomBytes(300_000));
        await spool[Symbol.asyncDispose]();
        assert.equal((await list()).length, before);
      }
    });

    test('discarding during a write leaves nothing', async () => {
      const spool = opened.blobs.createSpool();
      const writing = spool.write(randomBytes(1_000_000));
      await Promise.all([writing?.catch(() => {}), spool[Symbol.asyncDispose]()]);
      await spool.write(randomBytes(1_000_000));
      await opened.blobs.sweepSpools();
    });

    test('a missing key: no stream, and deleting it is harmless', async () => {
      assert.equal(await opened.blobs.open(newId()), undefined);
      await opened.blobs.delete(newId());
    });

    test('a deleted blob is gone', async () => {
      const key = await store(Buffer.from('x'));
      await opened.blobs.delete(key);
      assert.equal(await opened.blobs.open(key), undefined);
      assert.ok(!(await list()).some((blob) => blob.key === key));
    });

    test('list returns every blob with the time it was stored', async () => {
      const begunAt = Date.now();
      const keys = await Promise.all(Array.from({ length: 30 }, () => store(Buffer.from('x'))));
      const storedAt = Date.now();
      const listed = new Map((await list()).map(({ key, modifiedAt }) => [key, modifiedAt]));
      for (const key of keys) {
        const at = listed.get(key) ?? 0;
        // The times of a store are not exact.
        assert.ok(at > begunAt - 5_000 && at < storedAt + 5_000, `${key} was stored at ${at}`);
      }
    });

    test('the sweep of orphans deletes blobs without a row, and nothing that others put into the store', async () => {
      const [known, orphan] = [await store(Buffer.from('x')), await store(Buffer.from('x'))];
      await store(Buffer.from('photo'), 'photo.jpg');
      const inTwoHours = Date.now() + 2 * 60 * 60 * 1000;
      await sweepOrphans(opened.blobs, async (ids) => new Set(ids.filter((id) => id !== orphan)), inTwoHours);
      assert.equal(await read(orphan), undefined);
      assert.equal((await read(known))?.toString(), 'x');
      await sweepOrphans(opened.blobs, async () => new Set(), inTwoHours);
      assert.equal(await read(known), undefined);
      assert.equal((await read('photo.jpg'))?.toString(), 'photo');
    });

    test('a sweep keeps the spools of running processes', async () => {
      const spool = opened.blobs.createSpool();
      await spool.write(randomBytes(300_000));
      await opened.blobs.sweepSpools();
      await (await opened.openAnother()).sweepSpools();
      const key = newId();
      await spool.commit(key);
      assert.equal((await read(key))?.length, 300_000);
    });

    test('many at once', async () => {
      const all = Array.from({ length: 40 }, () => randomBytes(20_000));
      const keys = await Promise.all(all.map((bytes) => store(bytes)));
      for (const [index, key] of keys.entries())
        assert.ok(all[index]!.equals((await read(key)) ?? Buffer.alloc(0)));
    });
  });
}
