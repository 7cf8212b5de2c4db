// The copy from one store to another: whole files, whatever an earlier run left behind.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '#core/ids.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import { copyBlobs } from '#storage/copy-blobs.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { temporaryFolder } from '#test/support/processes.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
before(async () => {
  folder = await temporaryFolder();
});
after(() => folder.remove());

async function store(name: string, files: Record<string, string>): Promise<Blobs> {
  const blobs = await createDiskBlobs(join(folder.path, name));
  for (const [key, text] of Object.entries(files)) {
    await using spool = blobs.createSpool();
    await spool.write(Buffer.from(text));
    await spool.commit(key);
  }
  return blobs;
}

const [first, second] = [newId(), newId()];

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('half a file that an interrupted run left behind is copied again', async () => {
  const from = await store('whole', { [first]: 'the first file', [second]: 'the second file' });
  const to = await store('half', { [first]: 'the fir' });
  const checksums: Record<string, string> = {
    [first]: hashOf('the first file'),
    [second]: hashOf('the second file'),
  };
  const report = await copyBlobs(
    from,
    to,
    (key) => checksums[key],
    () => {},
  );
  assert.deepEqual(report, { files: 2, copied: 1, damaged: [] });
  using blob = await to.open(first);
  assert.equal(Buffer.concat(await blob!.stream.toArray()).toString(), 'the first file');
});

test('a file that is damaged in the source is reported', async () => {
  const from = await store('rotten', { [first]: 'rotten' });
  const to = await store('target', {});
  const report = await copyBlobs(
    from,
    to,
    () => hashOf('the first file'),
    () => {},
  );
  assert.deepEqual(report.damaged, [first]);
});

test('files of others are neither copied nor deleted', async () => {
  const from = await store('with-notes', { [first]: 'the first file', 'notes.txt': 'notes' });
  const to = await store('with-photo', { 'photo.jpg': 'photo' });
  const report = await copyBlobs(
    from,
    to,
    () => undefined,
    () => {},
  );
  assert.deepEqual(report, { files: 1, copied: 1, damaged: [] });
  assert.equal(await readBlob(to, 'notes.txt'), undefined);
  assert.equal((await readBlob(to, 'photo.jpg'))?.toString(), 'photo');
  assert.equal((await readBlob(from, 'notes.txt'))?.toString(), 'notes');
});
