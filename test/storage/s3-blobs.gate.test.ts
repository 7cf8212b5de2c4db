// S3 only: pages of a listing, signed URLs, and outages of the store.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newId } from '#core/ids.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import { createS3Blobs, type S3Location } from '#storage/s3-blobs.ts';
import { readConfig } from '#roof/config.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { openS3, type AnyS3 } from '#test/support/s3.ts';
import { waitFor } from '#test/support/wait-for.ts';

const small = 10_000;
const large = 3_000_000;

describe('an S3 store', () => {
  let server: AnyS3;
  let blobs: Blobs;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  before(async () => {
    server = await openS3();
    folder = await temporaryFolder();
    const { storage } = readConfig({ STORAGE_URL: server.newStorageUrl() });
    blobs = await createS3Blobs(storage as S3Location, folder.path);
  });
  after(async () => {
    await server?.stop();
    await folder?.remove();
  });

  async function put(bytes: Buffer, key = newId()): Promise<string> {
    const spool = blobs.createSpool();
    try {
      await spool.write(bytes);
      await spool.commit(key);
    } finally {
      await spool[Symbol.asyncDispose]();
    }
    return key;
  }

  test('more blobs than fit on one page of the listing', async () => {
    const made = new Set<string>();
    while (made.size < 1_010) {
      const keys = Array.from({ length: 40 }, () => newId());
      await Promise.all(keys.map((key) => put(Buffer.from('x'), key)));
      for (const key of keys) made.add(key);
    }
    const listed = new Set<string>();
    for await (const batch of blobs.list()) for (const { key } of batch) listed.add(key);
    assert.deepEqual(made.difference(listed), new Set());
  });

  test('a signed URL returns the bytes with the type and name it was signed for', async () => {
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
    assert.ok(bytes.equals(Buffer.from(await response.arrayBuffer())));
  });

  test('during an outage requests fail quickly and leave nothing; recovery is automatic', async (context) => {
    if (!server.pause || !server.resume) return context.skip('the store of TEST_S3_URL cannot be stopped');
    const key = await put(randomBytes(small));
    await server.pause();
    const started = Date.now();
    for (const size of [small, large]) await assert.rejects(put(randomBytes(size)));
    await assert.rejects(blobs.ping());
    await assert.rejects(blobs.open(key));
    // oxlint-disable-next-line tests/no-durations -- what is tested is that the timeouts hold: without them it takes minutes
    assert.ok(Date.now() - started < 15_000);
    assert.deepEqual(await readdir(join(folder.path, 'spool')), []);
    await server.resume();
    await waitFor('the store to be back', () =>
      blobs.ping().then(
        () => true,
        () => false,
      ),
    );
    assert.equal((await readBlob(blobs, key))?.length, small);
  });
});
