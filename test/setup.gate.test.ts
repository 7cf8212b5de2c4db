// npm run setup. A program in place of npm stands for the registry, which a test cannot rely on, and one in place of the runtime for the builders.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { root, temporaryFolder } from '#test/support/processes.ts';

// As npm ci, it begins with nothing.
const npm = `import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
appendFileSync('calls', 'npm ' + process.argv.slice(2).join(' ') + '\\n');
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules/.bin', { recursive: true });
if (process.env.npm_config_cache.startsWith(process.cwd())) writeFileSync(process.env.npm_config_cache + '/download', '');
writeFileSync('given', process.env.npm_config_cache);
if (process.env.BROKEN === 'npm') process.exit(1);
if (process.env.BROKEN === 'cache' && process.argv.includes('--prefer-offline')) {
  console.error('npm error code ETARGET');
  process.exit(1);
}
writeFileSync('node_modules/.bin/node', \`#!/bin/sh
test "$1" = --version || echo "node $*" >> calls
case "$*" in
  *"$BROKEN"*) echo "no such luck" >&2; exit 1;;
  *vite*) mkdir -p dashboard/dist && touch dashboard/dist/index.html;;
  *build-clients*) mkdir -p clients/dist && touch clients/dist/tintype-client.tgz;;
  bin/programs.js) mkdir -p "$('\${process.execPath}' -e "import('./bin/programs.js').then(({ builtFolder }) => console.log(builtFolder()))")";;
esac
\`, { mode: 0o755 });
`;
const builds = [
  'node node_modules/vite/bin/vite.js build dashboard',
  'node scripts/build-clients.ts',
  'node bin/programs.js',
  'node bin/tintype.js browser renew',
];
const trim = 'node scripts/trim-packages.ts';

async function copyClone(context: TestContext) {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  for (const name of ['package.json', 'package-lock.json', 'LICENSE', 'bin', 'clients', 'dashboard'])
    cpSync(join(root, name), join(path, name), { recursive: true });
  for (const name of ['dashboard', 'clients'])
    rmSync(join(path, name, 'dist'), { recursive: true, force: true });
  mkdirSync(join(path, 'scripts'));
  for (const name of [
    'setup.js',
    'build-clients.ts',
    'client-version.ts',
    'trim-packages.ts',
    'trim-binaries.ts',
  ])
    cpSync(join(root, 'scripts', name), join(path, 'scripts', name));
  symlinkSync(join(root, 'src'), join(path, 'src'));
  writeFileSync(join(path, 'npm-cli.js'), npm);
  return {
    path,
    /** What it ran, in order; the builds run side by side. */
    setUp(args: string[] = [], environment: Record<string, string> = {}) {
      rmSync(join(path, 'calls'), { force: true });
      const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.js', ...args], {
        cwd: path,
        encoding: 'utf8',
        env: {
          ...process.env,
          BROKEN: 'nothing',
          CHROMIUM_PATH: '',
          npm_execpath: join(path, 'npm-cli.js'),
          npm_config_cache: path,
          ...environment,
        },
      });
      const calls = existsSync(join(path, 'calls')) ? readFileSync(join(path, 'calls'), 'utf8') : '';
      return { status, stderr, calls: calls.split('\n').filter(Boolean) };
    },
  };
}

test('a start installs and builds what the service needs, and says how far it is; the next one does nothing', async (context) => {
  const { path, setUp } = await copyClone(context);
  const { status, stderr, calls } = setUp([], { NODE_ENV: 'production' });
  assert.equal(status, 0, stderr);
  assert.match(calls[0] ?? '', /^npm ci --include=peer --include=optional --omit=dev /);
  assert.deepEqual([calls[1], calls.slice(2).toSorted()], [trim, builds.toSorted()]);
  const lines = stderr.trim().split('\n');
  assert.equal(lines[0], '[1/5] Installing packages …');
  assert.match(lines[1] ?? '', /^\[1\/5\] Installing packages: done after \d+\.\d s$/);
  assert.deepEqual(
    lines.slice(2, 6),
    ['dashboard', 'clients', 'service']
      .map((name, index) => `[${index + 2}/5] Building the ${name} …`)
      .concat('[5/5] Looking for the newest browser …'),
  );
  assert.match(lines.at(-1) ?? '', /^Set up in \d+\.\d s$/);
  assert.ok(existsSync(join(path, 'node_modules/.bin/tintype')), 'npx finds the command');
  assert.deepEqual(setUp(), { status: 0, stderr: '', calls: [] });
});

test('the first call of the tests installs everything, once; no later start takes it away', async (context) => {
  const { path, setUp } = await copyClone(context);
  setUp();
  const all = setUp(['--all']);
  assert.equal(all.status, 0, all.stderr);
  assert.match(all.calls[0] ?? '', /^npm ci --include=peer --include=optional --include=dev /);
  assert.equal(all.calls.length, 1, 'nothing is trimmed, and what was built stays');
  for (const args of [[], ['--all']]) assert.deepEqual(setUp(args).calls, []);
  appendFileSync(join(path, 'package-lock.json'), '\n');
  assert.match(setUp().calls[0] ?? '', / --include=dev /, 'a start after an upgrade');
});

test('what failed is done again by the next start, and what was done is not', async (context) => {
  const { setUp } = await copyClone(context);
  const npmFailed = setUp([], { BROKEN: 'npm' });
  assert.deepEqual([npmFailed.status, npmFailed.calls.length], [1, 1]);
  assert.match(npmFailed.stderr, /\[1\/5\] Installing packages: failed after[^]* failed\n$/);
  const builderFailed = setUp([], { BROKEN: 'vite' });
  assert.equal(builderFailed.status, 1);
  assert.match(builderFailed.stderr, /no such luck/);
  const last = setUp();
  assert.deepEqual([last.status, last.calls], [0, [builds[0]]]);
  assert.match(last.stderr, /^\[1\/1\] Building the dashboard …\n/);
});

test("npm's cache is preferred, and the registry asked if it knows too little of the lock file", async (context) => {
  const { setUp } = await copyClone(context);
  const { status, calls } = setUp([], { BROKEN: 'cache' });
  assert.equal(status, 0);
  const installations = calls.filter((call) => call.startsWith('npm ci'));
  assert.deepEqual(
    installations.map((call) => call.endsWith(' --prefer-offline')),
    [true, false],
  );
});

test('without a browser the rest is set up, and the next start looks again', async (context) => {
  const { setUp } = await copyClone(context);
  assert.equal(setUp([], { BROKEN: 'browser' }).status, 0);
  const withoutNewer = setUp([], { BROKEN: 'renew' });
  assert.deepEqual(withoutNewer.calls, [builds[3], 'node bin/tintype.js browser'], 'the present one will do');
  assert.deepEqual(setUp().calls, []);
});

test('without a writable home, the downloads of npm go to a new folder of the clone, and only that one is removed', async (context) => {
  const { path, setUp } = await copyClone(context);
  mkdirSync(join(path, '.cache', 'npm'), { recursive: true });
  writeFileSync(join(path, '.cache', 'npm', 'notes.txt'), 'notes');
  writeFileSync(join(path, 'file'), '');
  const { status, stderr } = setUp([], { npm_config_cache: join(path, 'file', 'cache') });
  assert.equal(status, 0, stderr);
  const given = readFileSync(join(path, 'given'), 'utf8');
  assert.ok(given.startsWith(join(path, '.cache')), given);
  assert.ok(!existsSync(given));
  assert.deepEqual(readdirSync(join(path, '.cache')).toSorted(), ['npm', 'setup']);
  assert.equal(readFileSync(join(path, '.cache', 'npm', 'notes.txt'), 'utf8'), 'notes');
});
