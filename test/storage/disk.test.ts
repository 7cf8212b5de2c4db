// Disk only: leftovers of a dead process, and two processes on one folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { temporaryFolder, tintype } from '#lab/support/processes.ts';

test('the spools of a dead process are deleted, those of a running one are kept', async () => {
  const { path, remove } = await temporaryFolder();
  try {
    const blobs = await createDiskBlobs(path);
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    const names = {
      dead: `${dead}-a`,
      alive: `${process.ppid}-b`,
      leftOver: `${process.pid}-c`,
      junk: 'junk',
    };
    for (const name of Object.values(names)) await writeFile(join(path, 'spool', name), 'x');
    await blobs.sweepSpools();
    assert.deepEqual(await readdir(join(path, 'spool')), [names.alive]);
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
    const command = tintype(['account', 'create', '--email', 'late@example.com'], { DATA_DIR: path });
    setTimeout(release.resolve, 1_500);
    await transaction;
    const { code, stderr } = await command;
    assert.deepEqual([code, stderr], [0, '']);
  } finally {
    await database.close();
    await remove();
  }
});
