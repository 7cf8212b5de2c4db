// Disk only: leftovers of a dead process, and two processes on one folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '#core/ids.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { temporaryFolder, tintype } from '#test/support/processes.ts';
import { quietFor } from '#test/support/quiet-for.ts';

test('the spools of a dead process are deleted, those of a running one and the files of others are kept', async () => {
  const { path, remove } = await temporaryFolder();
  try {
    const blobs = await createDiskBlobs(path);
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    const gone = [`${dead}-${newId()}`, `${process.pid}-${newId()}`];
    const kept = [`${process.ppid}-${newId()}`, 'notes', `${dead}-notes`, `${dead}-${newId()}-1`];
    for (const name of [...gone, ...kept]) await writeFile(join(path, 'spool', name), 'x');
    await blobs.sweepSpools();
    assert.deepEqual((await readdir(join(path, 'spool'))).toSorted(), kept.toSorted());
  } finally {
    await remove();
  }
});

test('files of others in the folders of a store are not listed, and do not disturb the list', async () => {
  const { path, remove } = await temporaryFolder();
  try {
    const blobs = await createDiskBlobs(path);
    await using spool = blobs.createSpool();
    const key = newId();
    await spool.commit(key);
    const [folder = ''] = await readdir(join(path, 'store'));
    for (const name of ['notes', `${folder}/notes`, `${folder}/-${key.slice(1)}`])
      await writeFile(join(path, 'store', name), 'x');
    const listed: string[] = [];
    for await (const batch of blobs.list()) listed.push(...batch.map((blob) => blob.key));
    assert.deepEqual(listed, [key]);
  } finally {
    await remove();
  }
});

test('a store that cannot be written to fails its ping', async () => {
  const { path, remove } = await temporaryFolder();
  const blobs = await createDiskBlobs(join(path, 'blobs'));
  await remove();
  await assert.rejects(blobs.ping());
});

test('a writer waits for another process that holds the lock', async () => {
  const { path, remove } = await temporaryFolder();
  await mkdir(path, { recursive: true });
  const database = await openSqlite(join(path, 'tintype.db'));
  try {
    const holding = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const transaction = database.transaction(async ({ accounts }) => {
      await accounts.list();
      holding.resolve();
      await release.promise;
    });
    await holding.promise;
    let hasEnded = false;
    const command = tintype(['account', 'create', '--email', 'late@example.com'], { DATA_DIR: path });
    const ended = command.finally(() => (hasEnded = true));
    await quietFor(1_500, 'a command that did not wait would end or fail');
    assert.equal(hasEnded, false);
    release.resolve();
    await transaction;
    const { code, stderr } = await ended;
    assert.deepEqual([code, stderr], [0, '']);
  } finally {
    await database.close();
    await remove();
  }
});
