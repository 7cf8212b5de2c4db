// A backup deletes files in its folder, and a restore writes into DATA_DIR: neither harms what somebody else put there.
import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { newId } from '#core/ids.ts';
import { backUp, restore } from '#storage/backup.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { command } from '#test/support/commands.ts';
import { temporaryFolder } from '#test/support/processes.ts';

describe('the folders of backup and restore', () => {
  let root: Awaited<ReturnType<typeof temporaryFolder>>;
  let dataDir: string;
  let target: string;
  /** The key of the one file of the installation. */
  let kept: string;

  beforeEach(async () => {
    root = await temporaryFolder();
    dataDir = join(root.path, 'data');
    target = join(root.path, 'target');
    kept = await makeInstallation(dataDir);
  });
  afterEach(() => root.remove());

  const backUpTo = (folder: string) => backUp(dataDir, join(dataDir, 'tintype.db'), folder, () => {});
  const restoreTo = (folder: string) => restore(target, folder, join(folder, 'tintype.db'), () => {});

  test('a home folder is refused in one line, and every file in it is left', async () => {
    await write(target, {
      '.ssh/id_rsa': 'key',
      'notes.txt': 'notes',
      'tintype.db': 'the database of another program',
      'blobs/uploads/photo.jpg': 'photo',
      [placeOf(newId())]: 'photo',
    });
    const before = await filesOf(target);
    const { code, stderr } = await command(['backup', target], { DATA_DIR: dataDir });
    assert.equal(code, 1);
    assert.match(stderr, /^.*is neither empty nor a backup; name a new folder, such as .*tintype-backup\n$/);
    assert.ok(stderr.includes(target));
    assert.deepEqual(await filesOf(target), before);
  });

  test('a marker that somebody else put there protects the files next to it', async () => {
    const stale = placeOf(newId());
    const others = {
      'tintype-backup.txt': 'mine',
      'notes.txt': 'notes',
      'blobs/notes.txt': 'notes',
      'blobs/uploads/notes.txt': 'notes',
      'blobs/uploads/store/notes.txt': 'notes',
      'blobs/uploads/store/ab/notes.txt': 'notes',
      // An id, but not in the folder of its first two letters.
      [`blobs/uploads/store/ab/${'c'.repeat(20)}`]: 'notes',
    };
    await write(target, {
      ...others,
      [stale]: 'an upload that was deleted',
      [`${stale}.unfinished`]: 'half',
    });
    await backUpTo(target);
    const after = await filesOf(target);
    assert.deepEqual(
      Object.keys(after).toSorted(),
      [...Object.keys(others), placeOf(kept), 'tintype.db'].toSorted(),
    );
    for (const [path, text] of Object.entries(others)) assert.equal(after[path], text, path);
  });

  test('a backup holds the database and the files of uploads and renders, nothing else of DATA_DIR', async () => {
    await write(dataDir, { 'www/index.html': 'page', 'blobs/notes.txt': 'notes' });
    assert.deepEqual(await backUpTo(target), { files: 1, newFiles: 1 });
    assert.deepEqual(Object.keys(await filesOf(target)), [placeOf(kept), 'tintype-backup.txt', 'tintype.db']);
  });

  test('files behind a link in DATA_DIR are in the backup', async () => {
    const elsewhere = join(root.path, 'large-disk');
    await cp(join(dataDir, 'blobs'), elsewhere, { recursive: true });
    await rm(join(dataDir, 'blobs'), { recursive: true });
    await symlink(elsewhere, join(dataDir, 'blobs'));
    assert.equal((await backUpTo(target)).files, 1);
  });

  for (const link of ['blobs', 'blobs/uploads', 'blobs/uploads/store', 'blobs/uploads/store/ab']) {
    test(`a link in place of ${link} is refused by backup and restore, and nothing is written behind it`, async () => {
      await backUpTo(target);
      const elsewhere = join(root.path, 'elsewhere');
      const place = `blobs/uploads/store/ab/ab${newId().slice(2)}`;
      await write(elsewhere, { [place.slice(link.length + 1)]: 'photo' });
      const before = await filesOf(elsewhere);
      const restored = join(root.path, 'restored');
      for (const folder of [target, restored]) {
        await rm(join(folder, link), { recursive: true, force: true });
        await mkdir(dirname(join(folder, link)), { recursive: true });
        await symlink(elsewhere, join(folder, link));
      }
      const refused = { message: new RegExp(`${link} is a link`) };
      await assert.rejects(backUpTo(target), refused);
      await assert.rejects(restoreTo(restored), refused);
      assert.deepEqual(await filesOf(elsewhere), before);
    });
  }

  test('a link in place of a file is not followed', async () => {
    const elsewhere = join(root.path, 'elsewhere');
    await write(root.path, { elsewhere: 'text' });
    await backUpTo(target);
    await rm(join(target, 'tintype.db'));
    await symlink(elsewhere, join(target, 'tintype.db'));
    await assert.rejects(backUpTo(target), /tintype\.db is not a file/);
    await rm(join(target, 'tintype.db'));
    await rm(join(target, placeOf(kept)));
    await symlink(elsewhere, join(target, placeOf(kept)));
    await assert.rejects(backUpTo(target), new RegExp(`${kept} is not a file`));
    assert.equal(await readFile(elsewhere, 'utf8'), 'text');
  });

  test('a backup of an earlier version, which made no marker, is continued', async () => {
    await backUpTo(target);
    await rm(join(target, 'tintype-backup.txt'));
    const stale = placeOf(newId());
    await write(target, { [stale]: 'an upload that was deleted' });
    assert.deepEqual(await backUpTo(target), { files: 1, newFiles: 0 });
    assert.deepEqual(Object.keys(await filesOf(target)), [placeOf(kept), 'tintype-backup.txt', 'tintype.db']);
  });

  test('an interrupted backup is continued, with a marker and without', async () => {
    for (const marker of markers) {
      await rm(target, { recursive: true, force: true });
      await write(target, {
        ...marker,
        'tintype.db.unfinished': 'half',
        'tintype.db.unfinished-journal': '',
      });
      assert.deepEqual(await backUpTo(target), { files: 1, newFiles: 1 });
    }
  });

  test('the data of another installation is refused and left, even with the marker of a backup', async () => {
    await makeInstallation(target);
    await rm(join(target, 'blobs/uploads/spool'), { recursive: true });
    for (const marker of markers) {
      await write(target, marker);
      const before = await filesOf(target);
      await assert.rejects(backUpTo(target), /a service has used it since; name a new folder/);
      assert.deepEqual(await filesOf(target), before);
    }
  });

  test('a backup in DATA_DIR and DATA_DIR in a backup are refused, also through links', async () => {
    await symlink(dataDir, join(root.path, 'link'));
    for (const inside of ['data', 'data/backup', 'data/new/backup', 'link', 'link/backup'])
      await assert.rejects(backUpTo(join(root.path, inside)), /must be outside DATA_DIR/, inside);
    await write(root.path, { 'tintype-backup.txt': '' });
    await assert.rejects(backUpTo(root.path), /DATA_DIR must be outside the backup/);
    await backUpTo(join(root.path, 'data..'));
  });

  test('restore leaves what else is in DATA_DIR, and can be repeated after an interruption', async () => {
    await backUpTo(target);
    const others = { 'www/index.html': 'page', 'blobs/notes.txt': 'notes', [placeOf(newId())]: 'no row' };
    const folder = join(root.path, 'srv');
    await write(folder, { ...others, [`${placeOf(kept)}.unfinished`]: 'half' });
    assert.deepEqual(await restoreTo(folder), { files: 1, newFiles: 1 });
    const after = await filesOf(folder);
    for (const [path, text] of Object.entries(others)) assert.equal(after[path], text, path);
    assert.ok(placeOf(kept) in after && 'tintype.db' in after);
  });
});

/** None, and one. */
const markers: Record<string, string>[] = [{}, { 'tintype-backup.txt': '' }];

const placeOf = (key: string): string => `blobs/uploads/store/${key.slice(0, 2)}/${key}`;

/** What a service that has been stopped leaves, with one upload. */
async function makeInstallation(folder: string): Promise<string> {
  await (await openSqlite(join(folder, 'tintype.db'))).close();
  const blobs = await createDiskBlobs(join(folder, 'blobs', 'uploads'));
  await using spool = blobs.createSpool();
  await spool.write(Buffer.from('picture'));
  const key = newId();
  await spool.commit(key);
  return key;
}

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    paths.toSorted().map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'latin1')]),
  );
  return Object.fromEntries(texts) as Record<string, string>;
}
