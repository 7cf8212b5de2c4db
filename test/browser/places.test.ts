// Where the browser is stored and as which user it runs, on every kind of machine.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRunning, startTimeOf } from '#browser/install/running.ts';
import { lessOn } from '#browser/install/system.ts';
import { otherCaches, reachableCache, workerUsers } from '#browser/process/unprivileged.ts';
import { describeBrowser } from '#roof/browser-command.ts';
import { tintype } from '#test/support/processes.ts';

function temporaryFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'tintype-test-'));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test('as root on Linux a worker has a user of its own and its browser is nobody; elsewhere both are the user of the service', () => {
  assert.deepEqual(workerUsers('linux', 0), {
    browser: { uid: 65_534, gid: 65_534 },
    worker: { uid: 65_533, gid: 65_533 },
  });
  assert.equal(workerUsers('linux', 1000), null);
  assert.equal(workerUsers('darwin', 0), null);
  assert.equal(workerUsers('darwin', 501), null);
});

test('what is weaker than on Linux is reported', () => {
  assert.deepEqual(lessOn('linux'), []);
  assert.match(
    lessOn('darwin').join('; '),
    /run as the user of the service.*memory of a worker is not judged.*doors of other workers.*fonts of the system/,
  );
});

test('the cache is the named folder, unless the browser cannot reach it or it is not writable', async () => {
  using folder = temporaryFolder();
  const nobody = { uid: 65_534, gid: 65_534 };
  const named = join(folder.path, 'named');
  const other = join(folder.path, 'other');
  assert.equal(await reachableCache(named, null, [other]), named);
  assert.equal(await reachableCache(named, nobody, [other]), named);

  const closed = join(folder.path, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  assert.equal(await reachableCache(join(closed, 'cache'), null, [other]), join(closed, 'cache'));
  assert.equal(await reachableCache(join(closed, 'cache'), nobody, [other]), other);

  // A file in place of a folder stands for a path that not even root can write to.
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  assert.equal(await reachableCache(join(file, 'cache'), null, [other]), other);
  await assert.rejects(reachableCache(join(file, 'cache'), null, [join(file, 'too')]), /CACHE_DIR/);
});

test('in a folder for everyone, a cache that others may write to is not used', async () => {
  using shared = temporaryFolder();
  using other = temporaryFolder();
  chmodSync(shared.path, 0o777);
  assert.equal(await reachableCache(shared.path, null, [join(other.path, 'own')]), join(other.path, 'own'));
});

test('an ordinary user has a cache at home, or in the temporary folder; root has one of the system', () => {
  assert.deepEqual(otherCaches('linux', 0), ['/var/cache/tintype']);
  assert.match(otherCaches('linux', 1000)[0] ?? '', /\/\.cache\/tintype$/);
  assert.match(otherCaches('darwin', 501)[0] ?? '', /\/Library\/Caches\/tintype$/);
  assert.equal(otherCaches('linux', 1000)[1], join(tmpdir(), 'tintype-cache-1000'));
});

test('a process is identified by its id and start time, and only by its id without /proc', () => {
  assert.ok(isRunning(process.pid, startTimeOf(process.pid)));
  assert.ok(isRunning(process.pid, '0'));
  if (startTimeOf(process.pid) !== '0') assert.ok(!isRunning(process.pid, '1'));
  // Above any id that a system assigns.
  assert.ok(!isRunning(2 ** 30, '0'));
});

test('the browser is described with its age and how to renew it', () => {
  const about = {
    name: 'chrome-headless-shell',
    version: '1.2.3.4',
    path: '/cache/shell',
    source: 'a place',
    renewal: 'do this',
    sandboxed: true,
    sandboxProblem: null,
    blankScripts: [],
  };
  assert.match(
    describeBrowser({ ...about, releasedAt: new Date('2026-09-08') }),
    /^chrome-headless-shell 1\.2\.3\.4 from a place, released on 2026-09-08, \d+ days ago \(\/cache\/shell\); to renew it: do this$/,
  );
});

test('npx tintype browser says which browser is used, as JSON too, and refuses what it does not know', async () => {
  const { code, stdout } = await tintype(['browser', '--json']);
  const about = JSON.parse(stdout) as { version: string; path: string; renewal: string; releasedAt: string };
  assert.equal(code, 0);
  assert.match(about.version, /^\d+\.\d+\.\d+\.\d+$/);
  assert.ok(about.path !== '' && about.renewal !== '' && !Number.isNaN(Date.parse(about.releasedAt)));
  const unknown = await tintype(['browser', 'replace']);
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  const wrong = await tintype(['browser', '--newest']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^tintype: Unknown option '--newest'.*\n$/);
});
