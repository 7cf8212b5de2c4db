// Prepares a clone, quietly and once: dependencies, the Node runtime that comes with them, the dashboard, the clients, the
// service's programs and a browser. It runs on the machine's own Node (>= 20), before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtFolder } from '../bin/programs.js';

const root = join(import.meta.dirname, '..');

step(
  'Installing dependencies (once, about a minute)',
  'dependencies',
  ['package.json', 'package-lock.json'],
  () => {
    // By its path: in npm scripts, the runtime of an earlier installation comes first in PATH, and may not run.
    const npm = process.env.npm_execpath;
    const [command, ...given] = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
    run(command, [...given, 'ci', '--loglevel=error', '--no-audit', '--no-fund', ...npmCache()]);
    // npx finds the command here at once; otherwise it would first install the package elsewhere.
    symlinkSync('../../bin/tintype.js', join(root, 'node_modules', '.bin', 'tintype'));
  },
);

giveRuntimeItsLibrary();

step(
  'Building the dashboard (once)',
  'dashboard',
  [
    'package-lock.json',
    ...filesUnder('dashboard'),
    ...filesUnder('src/http/pages/assets'),
    'src/http/dashboard/paths.ts',
    'src/http/api/camel-case.ts',
    'src/http/docs/samples.ts',
    'src/renders/output-files.ts',
    'src/core/limits.ts',
    'src/uploads/image-types.ts',
    ...filesUnder('clients/shared'),
  ],
  () => {
    // Vite needs a newer Node than the machine may have; the one from npm is new enough.
    run(join('node_modules', '.bin', 'node'), ['node_modules/vite/bin/vite.js', 'build', 'dashboard']);
  },
  'dashboard/dist/index.html',
);

step(
  'Building the clients (once)',
  'clients',
  [
    'package-lock.json',
    'LICENSE',
    'tsconfig.json',
    'scripts/build-clients.ts',
    'scripts/client-version.ts',
    'src/http/dashboard/tar.ts',
    'src/http/zip.ts',
    ...filesUnder('clients'),
  ],
  () => run(join('node_modules', '.bin', 'node'), ['scripts/build-clients.ts']),
  'clients/dist/tintype-client.tgz',
);

if (!existsSync(builtFolder())) {
  process.stderr.write('Building the service (once) …\n');
  run(join('node_modules', '.bin', 'node'), ['bin/programs.js']);
}

// Done before tests and commands that start many processes at once. Without a browser the rest still works, and the service
// reports at start what is missing.
step('Looking for the newest browser (once)', 'browser', ['package-lock.json'], () => {
  const look = (...action) =>
    spawnSync(join('node_modules', '.bin', 'node'), ['bin/tintype.js', 'browser', ...action], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    }).status === 0;
  // Without a way to a newer one, the one that is there will do.
  return (!process.env.CHROMIUM_PATH && look('renew')) || look();
});

/** npm keeps its downloads in the user's home; if that is not writable, in a new folder of the clone until the end. */
function npmCache() {
  const usual = process.env.npm_config_cache ?? join(homedir(), '.npm');
  try {
    mkdirSync(usual, { recursive: true });
    accessSync(usual, constants.W_OK);
    return [];
  } catch {
    return ['--cache', newFolder(join(root, '.cache'), 'npm-')];
  }
}

/** Removed at the end. A new name each time: an existing folder may be somebody else's. */
function newFolder(parent, prefix) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, prefix));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs if any of its inputs has changed since the last time, or if its output is missing. */
function step(title, name, inputs, work, made = '') {
  const stamp = join(root, 'node_modules', `.tintype-${name}`);
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(input).update(readFileSync(join(root, input)));
  const wanted = hash.digest('hex');
  if (existsSync(join(root, made)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write(`${title} …\n`);
  if (work() === false) return;
  writeFileSync(stamp, wanted);
}

/** The source files in a folder, without build output. */
function filesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ name }) => name !== 'dist')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    });
}

/**
 * Node is linked with libatomic, which a minimal Debian or Ubuntu lacks. It is taken from the distribution's package, without
 * root, and a script in place of the runtime adds it to the library path.
 */
function giveRuntimeItsLibrary() {
  const runtime = join(root, 'node_modules', 'node', 'bin', 'node');
  const { status, stderr } = spawnSync(runtime, ['--version'], { encoding: 'utf8' });
  if (status === 0 || !stderr.includes('libatomic')) return;
  if (spawnSync('apt-get', ['--version']).error) {
    process.stderr.write(
      `${stderr}Install libatomic with the package manager of your system, then start again.\n`,
    );
    process.exit(1);
  }
  process.stderr.write(
    'Fetching libatomic1, which the runtime needs, from the packages of your system (9 kB) …\n',
  );
  const folder = newFolder(join(root, 'node_modules'), '.tintype-libatomic-');
  for (const name of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true });
  const settings = [
    `Dir::State=${folder}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${join(folder, 'cache')}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
  ].flatMap((setting) => ['-o', setting]);
  run('apt-get', [...settings, '-q', 'update']);
  run('apt-get', [...settings, '-q', 'download', 'libatomic1'], folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
  run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'unpacked')]);
  const library = readdirSync(join(folder, 'unpacked'), { recursive: true }).find((path) =>
    path.endsWith('libatomic.so.1'),
  );
  copyFileSync(join(folder, 'unpacked', library), join(dirname(runtime), 'libatomic.so.1'));
  renameSync(runtime, `${runtime}.real`);
  const script = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/node.real" "$@"
`;
  writeFileSync(runtime, script, { mode: 0o755 });
}

function run(command, args, cwd = root) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return;
  process.stderr.write(
    `${stdout ?? ''}${stderr ?? ''}${error ?? ''}\n"${command} ${args.join(' ')}" failed\n`,
  );
  process.exit(1);
}
