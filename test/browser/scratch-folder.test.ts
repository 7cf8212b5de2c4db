// The folder of a browser: how it is removed, and what is not removed with it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createBrowserFolder } from '#browser/process/browser-folder.ts';
import { createScratchFolder, sweepScratchFolders } from '#browser/process/scratch-folder.ts';
import { browserUser } from '#browser/process/unprivileged.ts';

test('its path leaves room for the socket of a full Chromium, also in a temporary folder of 27 characters', async () => {
  const folder = createScratchFolder(tmpdir(), null);
  const below = folder.path.slice(tmpdir().length);
  await folder.remove();
  const socket = `${below}/tmp/org.chromium.Chromium.XXXXXX/SingletonSocket`;
  // 107 characters is the longest path of a socket on Linux.
  assert.ok(27 + socket.length <= 107, `${socket} has ${socket.length} characters`);
});

const user = browserUser();
const asRoot = { skip: user ? false : 'only root runs the browser as another user' };

test(
  'a link that the browser swaps in while its folder is removed is not followed',
  asRoot,
  async (context) => {
    const outside = mkdtempSync(join(tmpdir(), 'tintype-outside-'));
    chmodSync(outside, 0o755);
    context.after(() => rmSync(outside, { recursive: true }));
    const names = Array.from({ length: 5_000 }, (_, index) => `file-${index}`);
    for (const name of names) writeFileSync(join(outside, name), '');
    const folder = createScratchFolder(tmpdir(), user, (path) => {
      mkdirSync(join(path, 'cache'));
      for (const name of names) writeFileSync(join(path, 'cache', name), '');
    });
    // As an escaped page would: it waits for the removal to begin, then puts a link in place of the folder that is being emptied.
    const [first] = readdirSync(join(folder.path, 'cache'));
    const script = 'while [ -e "cache/$0" ]; do :; done; mv cache aside && ln -s "$1" cache';
    const attacker = spawn('/bin/sh', ['-c', script, first!, outside], {
      ...user!,
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: '/usr/bin:/bin' },
      timeout: 60_000,
    });
    const ended = once(attacker, 'close');
    await folder.remove().catch(() => {});
    await ended;
    // The first attempt fails if what it empties is moved away.
    await folder.remove();
    assert.equal(readdirSync(outside).length, names.length);
    assert.ok(!existsSync(folder.path));
  },
);

test('the folder is removed with the rights of its owner', asRoot, async () => {
  const folder = createScratchFolder(tmpdir(), user);
  const ofRoot = join(folder.path, 'of-root');
  mkdirSync(ofRoot);
  writeFileSync(join(ofRoot, 'file'), '');
  await assert.rejects(folder.remove(), /of-root/);
  assert.ok(existsSync(join(ofRoot, 'file')));
  rmSync(ofRoot, { recursive: true });
  await folder.remove();
  assert.ok(!existsSync(folder.path));
});

test('everything in the folder belongs to the user of the browser, and nobody else can enter it', async () => {
  const folder = createBrowserFolder('full', user);
  const paths = ['', ...readdirSync(folder.path, { recursive: true }).map(String)];
  assert.deepEqual(paths.toSorted(), [
    '',
    'cache',
    'profile',
    'profile/Default',
    'profile/Default/Preferences',
    'tmp',
  ]);
  for (const path of paths)
    assert.equal(lstatSync(join(folder.path, path)).uid, user?.uid ?? process.getuid?.(), path);
  assert.equal(lstatSync(folder.path).mode & 0o777, 0o700);
  await folder.remove();
});

test('a folder above that the owner cannot enter does not keep the folder', asRoot, async (context) => {
  const above = ownTemporaryFolder(context);
  // Nor enter it: the data folder belongs to the service alone.
  chmodSync(above, 0o700);
  const folder = createScratchFolder(above, user, (path) => {
    writeFileSync(join(path, 'file'), '');
    writeFileSync(join(path, '.hidden'), '');
    mkdirSync(join(path, '..odd'));
  });
  await folder.remove();
  assert.deepEqual(readdirSync(above), []);
});

test('the sweep removes folders of services that have ended, not those of others or with another name', async (context) => {
  const above = ownTemporaryFolder(context);
  // The id of a process that cannot exist: the kernel assigns smaller numbers.
  const [gone, ofAnother] = ['tintype-b-zzzzzzz-1-ABC123', 'tintype-b-zzzzzzz-1-ABC124'];
  const kept = ['tintype-b-notes', 'tintype-b-zzzzzzz-1-notes'];
  // Only root can give a folder to somebody else.
  if (user) kept.push(ofAnother);
  for (const name of [gone, ...kept]) mkdirSync(join(above, name, 'folder'), { recursive: true });
  // A result that was not taken over.
  writeFileSync(join(above, 'tintype-b-zzzzzzz-1-ABCDEFGHIJKLMNOPQRST'), '');
  if (user) chownSync(join(above, ofAnother), 12_345, 12_345);
  await sweepScratchFolders(above, user);
  assert.deepEqual(readdirSync(above).toSorted(), kept.toSorted());
  for (const name of kept) assert.ok(existsSync(join(above, name, 'folder')));
});

/** Other services on the machine sweep the usual one. */
function ownTemporaryFolder(context: TestContext): string {
  const usual = process.env['TMPDIR'];
  const path = mkdtempSync(join(tmpdir(), 'tintype-above-'));
  chmodSync(path, 0o755);
  process.env['TMPDIR'] = path;
  context.after(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    rmSync(path, { recursive: true });
  });
  return path;
}
