// The database and its copies are readable only by the service's user, whatever the mode of DATA_DIR.
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { backUp, restore } from '#storage/backup.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { temporaryFolder } from '#test/support/processes.ts';

async function modesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('tintype.db'));
  const modes = names.map(async (name) => [
    name,
    ((await stat(join(folder, name))).mode & 0o777).toString(8),
  ]);
  return Object.fromEntries(await Promise.all(modes)) as Record<string, string>;
}

test('a new or existing database has mode 600, and so do its WAL files, backup and restored copy', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const [data, copy, restored] = [join(path, 'data'), join(path, 'copy'), join(path, 'restored')];
  const file = join(data, 'tintype.db');
  for (const folder of [data, copy, restored]) await mkdir(folder, { mode: 0o755 });
  const all600 = { 'tintype.db': '600', 'tintype.db-shm': '600', 'tintype.db-wal': '600' };

  const first = await openSqlite(file);
  assert.deepEqual(await modesIn(data), all600);
  await first.close();

  await chmod(file, 0o644);
  // Created by an older version and still open in another process.
  using older = new DatabaseSync(file);
  older.exec('pragma journal_mode = wal; create table example (id text)');
  assert.equal((await modesIn(data))['tintype.db-wal'], '644');
  const second = await openSqlite(file);
  assert.deepEqual(await modesIn(data), all600);

  await backUp(data, file, copy, () => {});
  assert.deepEqual(await modesIn(copy), { 'tintype.db': '600' });
  await restore(copy, restored, join(restored, 'tintype.db'), () => {});
  assert.deepEqual(await modesIn(restored), { 'tintype.db': '600' });
  await second.close();
});
