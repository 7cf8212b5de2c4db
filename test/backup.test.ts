// Backup while the service runs, and restore: everything acknowledged before the backup is in it.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { backUp } from '#storage/backup.ts';
import { command } from '#test/support/commands.ts';
import { png } from '#test/support/images.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

type Uploaded = { file_url: string; delete_url: string };

describe('backup and restore', () => {
  let folder: string;
  let service: TestService;
  let key: string;
  let image: Buffer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tintype-backup-'));
    image = await png();
    service = await startService({ DATA_DIR: join(folder, 'data') });
    ({ key } = await service.newKey());
  });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function upload(): Promise<Uploaded> {
    const { status, body } = await post<Uploaded>(`${service.origin}/api/v1/upload`, {
      headers: bearer(key),
      body: formOf([[image, 'a.png']]),
    });
    assert.equal(status, 201);
    return body;
  }
  async function run(name: string, dataDir: string): Promise<string> {
    const { code, stdout, stderr } = await command([name, join(folder, 'backup')], { DATA_DIR: dataDir });
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  }

  test('uploads made before and during a backup are restored; a deleted one is not', async () => {
    const before = await Promise.all(Array.from({ length: 20 }, upload));
    assert.match(await run('backup', join(folder, 'data')), /20 files, 20 of them new/);

    const [gone, ...kept] = before;
    const { pathname, search } = new URL(gone?.delete_url ?? '');
    await post(service.origin + pathname + search);
    const later = await Promise.all(Array.from({ length: 10 }, upload));
    let isOver = false;
    const during = (async () => {
      while (!isOver) await upload();
    })();
    assert.match(await run('backup', join(folder, 'data')), /files, \d+ of them new/);
    isOver = true;
    await during;

    await run('restore', join(folder, 'restored'));
    const restored = await startService({ DATA_DIR: join(folder, 'restored') });
    try {
      const statusOf = async ({ file_url }: Uploaded): Promise<number> =>
        (await fetch(restored.origin + new URL(file_url).pathname)).status;
      for (const one of [...kept, ...later]) assert.equal(await statusOf(one), 200);
      assert.equal(await statusOf(gone as Uploaded), 404);
      const answer = await post(`${restored.origin}/api/v1/upload`, {
        headers: bearer(key),
        body: formOf([[image, 'b.png']]),
      });
      assert.equal(answer.status, 201);
    } finally {
      await restored.stop();
    }
    assert.deepEqual((await readdir(join(folder, 'backup'))).toSorted(), [
      'blobs',
      'tintype-backup.txt',
      'tintype.db',
    ]);
  });

  test('restore overwrites nothing, and a backup into the data itself is refused', async () => {
    const cases: [string, string, string, RegExp][] = [
      ['restore', 'backup', 'data', /already a database/],
      ['restore', 'nothing', 'new', /there is no backup/],
      ['backup', 'data/backup', 'data', /must be outside DATA_DIR/],
      ['backup', 'backup', 'nothing', /there is no database/],
    ];
    for (const [name, operand, dataDir, message] of cases) {
      const { code, stderr } = await command([name, join(folder, operand)], {
        DATA_DIR: join(folder, dataDir),
      });
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
  });
});

test('a backup of a database that is written without pause ends, with the rows of one moment', async (context) => {
  const { path: folder, remove } = await temporaryFolder();
  context.after(remove);
  const dataDir = join(folder, 'busy');
  const target = join(folder, 'busy-backup');
  await mkdir(dataDir);
  using database = new DatabaseSync(join(dataDir, 'tintype.db'));
  database.exec('pragma journal_mode = wal; pragma synchronous = off; create table rows (text); begin');
  const insert = database.prepare('insert into rows values (?)');
  for (let row = 0; row < 3_000; row += 1) insert.run('x'.repeat(4_000));
  database.exec('commit');
  let isOver = false;
  const writing = (async () => {
    const isBegun = () =>
      (statSync(join(target, 'tintype.db.unfinished'), { throwIfNoEntry: false })?.size ?? 0) > 0;
    while (!isBegun() && !isOver) await nextTurn();
    // Bounded, so that a backup that starts over with every write ends too, with these rows in it.
    let written = 0;
    for (; written < 2_000 && !isOver; written += 1) {
      insert.run('later');
      await nextTurn();
    }
    return written;
  })();
  await backUp(dataDir, join(dataDir, 'tintype.db'), target, () => {});
  isOver = true;
  assert.ok((await writing) > 0, 'nothing was written during the backup');
  using copy = new DatabaseSync(join(target, 'tintype.db'), { readOnly: true });
  assert.equal(copy.prepare('select count(*) as rows from rows').get()?.['rows'], 3_000);
});

test('files on their way in are not in a backup and get no second name', async (context) => {
  const { path: folder, remove } = await temporaryFolder();
  context.after(remove);
  const dataDir = join(folder, 'data');
  const places = ['uploads/spool', 'renders/spool', 'renders/results', 'renders/results/1'];
  for (const place of places) {
    await mkdir(join(dataDir, 'blobs', place), { recursive: true });
    await writeFile(join(dataDir, 'blobs', place, 'name'), 'bytes');
  }
  new DatabaseSync(join(dataDir, 'tintype.db')).close();
  const report = await backUp(dataDir, join(dataDir, 'tintype.db'), join(folder, 'copy'), () => {});
  assert.deepEqual(report, { files: 0, newFiles: 0 });
  for (const place of places)
    assert.equal((await stat(join(dataDir, 'blobs', place, 'name'))).nlink, 1, place);
});
