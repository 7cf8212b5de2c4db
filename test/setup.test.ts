// npm run setup: what it removes when it is done, and which browser it looks for. A program in place of npm stands for the registry, which a test cannot rely on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, temporaryFolder } from '#test/support/processes.ts';

test('without a writable home, the downloads of npm go to a new folder of the clone, and only that one is removed; a browser is renewed if it can be', async (context) => {
  const { path: clone, remove } = await temporaryFolder();
  context.after(remove);
  for (const name of ['package.json', 'package-lock.json', 'LICENSE', 'tsconfig.json', 'bin'])
    cpSync(join(root, name), join(clone, name), { recursive: true });
  mkdirSync(join(clone, 'scripts'));
  for (const name of ['setup.js', 'build-clients.ts', 'client-version.ts'])
    cpSync(join(root, 'scripts', name), join(clone, 'scripts', name));
  for (const name of ['dashboard', 'clients', 'src']) symlinkSync(join(root, name), join(clone, name));
  mkdirSync(join(clone, '.cache', 'npm'), { recursive: true });
  writeFileSync(join(clone, '.cache', 'npm', 'notes.txt'), 'notes');
  // Installs a runtime that does nothing, and writes down which cache it was given.
  writeFileSync(
    join(clone, 'npm-cli.js'),
    `import { mkdirSync, writeFileSync } from 'node:fs';
    const cache = process.argv[process.argv.indexOf('--cache') + 1];
    writeFileSync(cache + '/download', '');
    writeFileSync('given', cache);
    for (const folder of ['node_modules/.bin', 'node_modules/node/bin']) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + '/node', '#!/bin/sh\\necho "$*" >>calls; [ "$3" != renew ]\\n', { mode: 0o755 });
    }`,
  );
  writeFileSync(join(clone, 'file'), '');
  const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.js'], {
    cwd: clone,
    encoding: 'utf8',
    env: {
      ...process.env,
      npm_execpath: join(clone, 'npm-cli.js'),
      npm_config_cache: join(clone, 'file', 'cache'),
      CHROMIUM_PATH: '',
    },
  });
  assert.equal(status, 0, stderr);
  const browsers = readFileSync(join(clone, 'calls'), 'utf8').matchAll(/^bin\/tintype\.js (browser.*)$/gm);
  assert.deepEqual(
    Array.from(browsers, ([, action]) => action),
    ['browser renew', 'browser'],
    'without a newer browser, the present one will do',
  );
  const given = readFileSync(join(clone, 'given'), 'utf8');
  assert.ok(given.startsWith(join(clone, '.cache')), given);
  assert.ok(!existsSync(given));
  assert.deepEqual(readdirSync(join(clone, '.cache')), ['npm']);
  assert.equal(readFileSync(join(clone, '.cache', 'npm', 'notes.txt'), 'utf8'), 'notes');
});
