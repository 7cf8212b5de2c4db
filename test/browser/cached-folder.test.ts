// The folders of the cache: which ones are replaced and deleted, and that somebody else's are not.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepLibraries } from '#browser/install/apt-packages.ts';
import { cachedFolder } from '#browser/install/cached-folder.ts';
import { openFolder } from './fetch-kit.ts';

/** Puts one file there. */
const fill = (text: string) => ({
  fill(draft: string) {
    writeFileSync(join(draft, 'file'), text);
    return Promise.resolve();
  },
});

test('a folder of ours that is broken is replaced', async () => {
  using cache = openFolder();
  const folder = join(cache.path, 'browser');
  await cachedFolder(folder, fill('first'));
  rmSync(join(folder, 'file'));
  await cachedFolder(folder, fill('second'));
  assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'second');
  assert.deepEqual(readdirSync(cache.path), ['browser']);
});

for (const manifest of [undefined, '{"name":"an extension"}', '{"files":["a.js"]}']) {
  test(`a folder of somebody else with our name is refused and left: ${manifest}`, async () => {
    using cache = openFolder();
    const folder = join(cache.path, 'browser');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'notes');
    if (manifest !== undefined) writeFileSync(join(folder, 'manifest.json'), manifest);
    await assert.rejects(
      cachedFolder(folder, fill('ours')),
      /browser is in the way.* move it away, or set CACHE_DIR/,
    );
    assert.equal(readFileSync(join(folder, 'notes.txt'), 'utf8'), 'notes');
    assert.deepEqual(readdirSync(cache.path), ['browser']);
  });
}

test('a file of somebody else with our name is refused and left', async () => {
  using cache = openFolder();
  const file = join(cache.path, 'browser');
  writeFileSync(file, 'notes');
  await assert.rejects(cachedFolder(file, fill('ours')), /browser is in the way/);
  assert.equal(readFileSync(file, 'utf8'), 'notes');
});

test('drafts that were given up are deleted; those of other machines, and other files with such a beginning, are not', async () => {
  using cache = openFolder();
  const here = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_');
  // The id of a process that cannot exist: the kernel assigns smaller numbers.
  const gone = [`${here}-999999999-1-ABC123`, `${here}-999999999-1-ABC124.old`];
  const kept = [
    'notes',
    `${here}-notes`,
    'another-999999999-1-ABC125',
    'another-1-1-notes',
    `${here}-999999999-1-ABC123.txt`,
  ];
  for (const end of [...gone, ...kept]) mkdirSync(join(cache.path, `browser.draft-${end}`));
  await cachedFolder(join(cache.path, 'browser'), fill('ours'));
  assert.deepEqual(
    readdirSync(cache.path).toSorted(),
    ['browser', ...kept.map((end) => `browser.draft-${end}`)].toSorted(),
  );
});

test('a link in a package does not lead out of the folder', async () => {
  using outside = openFolder();
  using cache = openFolder();
  mkdirSync(join(outside.path, 'folder'));
  const secret = join(outside.path, 'folder', 'secret');
  writeFileSync(secret, 'secret', { mode: 0o600 });
  const folder = join(cache.path, 'browser');
  await cachedFolder(folder, {
    async fill(draft) {
      symlinkSync(outside.path, join(draft, 'usr'));
      await keepLibraries(draft);
      writeFileSync(join(draft, 'file'), 'ours');
    },
  });
  assert.equal(statSync(secret).mode & 0o777, 0o600);
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: unknown[] };
  assert.equal(files.length, 1);
  rmSync(join(folder, 'file'));
  await cachedFolder(folder, fill('ours'));
  assert.ok(existsSync(secret));
});
