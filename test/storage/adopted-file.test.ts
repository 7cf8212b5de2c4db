// Files that are taken over from a less trusted process: only a whole file of the announced size is, and nothing is left of others.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFile,
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { newId } from '#core/ids.ts';
import { readBlob } from '#storage/blobs.ts';
import { openFilesIn } from '#test/support/process-table.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { blobEngines, type OpenBlobs } from '#test/storage/engines.ts';

const secret = 'the secret of another user';

for (const engine of blobEngines) {
  describe(`files taken over by ${engine.name}`, () => {
    let opened: OpenBlobs;
    let secretFile: string;
    /** A new name in the folder of the other process. */
    let path: string;
    before(async () => {
      opened = await engine.open();
      secretFile = join(opened.folder, 'secret');
      await mkdir(join(opened.folder, 'results'));
      await writeFile(secretFile, secret, { mode: 0o640 });
    });
    after(() => opened.close());
    beforeEach(() => {
      path = join(opened.folder, 'results', newId());
    });

    const adopt = (sizeBytes: number) => opened.blobs.adopt({ path, sizeBytes }, 'account');
    const spoolFiles = () => readdir(join(opened.folder, 'spool'));
    const nothingIsOpen = () =>
      waitFor('every file to be closed', () => openFilesIn(opened.folder).length === 0);

    for (const sizeBytes of [0, 1, 300_000, 3 * 1024 * 1024]) {
      test(`${sizeBytes} bytes: stored under their key, and read from what was opened before`, async () => {
        const bytes = randomBytes(sizeBytes);
        await writeFile(path, bytes);
        const key = newId();
        {
          await using file = await adopt(sizeBytes);
          await assert.rejects(stat(path), { code: 'ENOENT' });
          using blob = await file.open();
          assert.equal(await opened.blobs.open(key), undefined, 'invisible until commit');
          await file.commit(key);
          assert.deepEqual(await spoolFiles(), []);
          assert.ok(bytes.equals(await buffer(blob.stream)));
        }
        assert.ok(bytes.equals((await readBlob(opened.blobs, key)) ?? Buffer.from('missing')));
        await nothingIsOpen();
      });
    }

    test('a discarded file is gone at once, and can still be read from what was opened before', async () => {
      const bytes = randomBytes(2 * 1024 * 1024 + 1);
      await writeFile(path, bytes);
      const file = await adopt(bytes.length);
      const blob = await file.open();
      await file[Symbol.asyncDispose]();
      assert.deepEqual(await spoolFiles(), []);
      assert.ok(bytes.equals(await buffer(blob.stream)));
      await file[Symbol.asyncDispose]();
      await nothingIsOpen();
    });

    test('bytes that nobody reads are closed', async () => {
      await writeFile(path, 'bytes');
      await using file = await adopt(5);
      (await file.open())[Symbol.dispose]();
      await nothingIsOpen();
    });

    test('a commit that fails leaves the file to be discarded', async () => {
      await writeFile(path, 'bytes');
      {
        await using file = await adopt(5);
        // No store takes this key.
        await assert.rejects(file.commit(`\0${newId()}`));
      }
      assert.deepEqual(await spoolFiles(), []);
      await nothingIsOpen();
    });

    test('a sweep keeps it', async () => {
      await writeFile(path, 'bytes');
      await using file = await adopt(5);
      await opened.blobs.sweepSpools();
      await (await opened.openAnother()).sweepSpools();
      using blob = await file.open();
      assert.equal(String(await buffer(blob.stream)), 'bytes');
    });

    const refused: Record<string, () => Promise<unknown>> = {
      'a link to another file': () => symlink(secretFile, path),
      'a link to a folder': () => symlink(opened.folder, path),
      'a link to nothing': () => symlink(join(opened.folder, 'nothing'), path),
      'a second name of another file': () => link(secretFile, path),
      'a file that is shorter than announced': () => writeFile(path, secret.slice(1)),
      'a file that is longer than announced': () => writeFile(path, `${secret}!`),
      'a folder': () => mkdir(path),
      'a folder with a file': async () => {
        await mkdir(path);
        await writeFile(join(path, 'inside'), secret);
      },
      'a named pipe': async () => execFileSync('mkfifo', [path]),
      nothing: async () => {},
    };
    for (const [name, make] of Object.entries(refused)) {
      test(`${name} is refused, and nothing of it is left in the spool`, async () => {
        await make();
        const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true;
        await assert.rejects(adopt(secret.length), /cannot be taken over/);
        assert.deepEqual(await spoolFiles(), []);
        // What is in a folder belongs to the other process, so the folder is left to whoever ends that process.
        if (!isFolder) await assert.rejects(lstat(path), { code: 'ENOENT' });
        const { mode, nlink } = await stat(secretFile);
        assert.deepEqual([mode & 0o777, nlink], [0o640, 1]);
        assert.equal(await readFile(secretFile, 'utf8'), secret);
        await nothingIsOpen();
      });
    }

    test('a file that still grows is read up to its announced size', async () => {
      await writeFile(path, 'bytes');
      await using file = await adopt(5);
      using blob = await file.open();
      const [name] = await spoolFiles();
      await appendFile(join(opened.folder, 'spool', name ?? ''), 'HTTP/1.1 200 OK');
      assert.equal(String(await buffer(blob.stream)), 'bytes');
    });

    test('a file that is cut short afterwards fails the reader instead of ending early', async () => {
      await writeFile(path, 'bytes');
      await using file = await adopt(5);
      using blob = await file.open();
      const [name] = await spoolFiles();
      await truncate(join(opened.folder, 'spool', name ?? ''), 3);
      await assert.rejects(buffer(blob.stream), /shorter than expected/);
    });

    test(
      'a file of another user becomes the service’s own',
      { skip: process.getuid?.() !== 0 && 'needs root' },
      async () => {
        await writeFile(path, 'bytes');
        await chmod(path, 0o666);
        await chown(path, 12_345, 12_345);
        await using _file = await adopt(5);
        const [name] = await spoolFiles();
        const { uid, gid, mode } = await stat(join(opened.folder, 'spool', name ?? ''));
        assert.deepEqual([uid, gid, mode & 0o777], [0, process.getgid?.(), 0o600]);
      },
    );
  });
}
