// Prepares a clone, once: the packages, among them the Node that the service runs on, the dashboard, the clients, the service's programs and a
// browser. It runs on the machine's own Node (>= 20), before anything is installed. With --all it installs what tests and tools need too.
import { spawn, spawnSync } from 'node:child_process';
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
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { builtFolder } from '../bin/programs.js';

const root = join(import.meta.dirname, '..');
const runtime = join('node_modules', '.bin', 'node');
const packagesStamp = join('node_modules', '.tintype-packages');
// What tests and tools need was installed once, and stays.
const wantsAll = process.argv.includes('--all') || stampOf(packagesStamp).endsWith(' all');

// The first before the others, which need it and run side by side. What stands beside `made` is done again if that is missing.
const packages = {
  title: 'Installing packages',
  stamp: packagesStamp,
  inputs: () => ['package.json', 'package-lock.json', 'scripts/trim-packages.ts', 'scripts/trim-binaries.ts'],
  suffix: wantsAll ? ' all' : '',
  made: runtime,
  work: installPackages,
};
const builds = [
  {
    title: 'Building the dashboard',
    stamp: join('.cache', 'setup', 'dashboard'),
    inputs: () => [
      'package-lock.json',
      ...filesUnder('dashboard'),
      ...filesUnder('src/site/pages/assets'),
      'src/console/paths.ts',
      'src/api/camel-case.ts',
      'src/site/docs/samples.ts',
      'src/renders/output-files.ts',
      'src/core/limits.ts',
      'src/uploads/image-types.ts',
      ...filesUnder('clients/shared'),
    ],
    made: 'dashboard/dist/index.html',
    // Vite needs a newer Node than the machine may have.
    work: () => run(runtime, ['node_modules/vite/bin/vite.js', 'build', 'dashboard']),
  },
  {
    title: 'Building the clients',
    stamp: join('.cache', 'setup', 'clients'),
    inputs: () => [
      'package-lock.json',
      'LICENSE',
      'scripts/build-clients.ts',
      'scripts/client-version.ts',
      'src/http/tar.ts',
      'src/http/zip.ts',
      ...filesUnder('clients'),
    ],
    made: 'clients/dist/tintype-client.tgz',
    work: () => run(runtime, ['scripts/build-clients.ts']),
  },
  {
    title: 'Building the service',
    made: builtFolder(),
    work: () => run(runtime, ['bin/programs.js']),
  },
  {
    // Before tests and commands that start many processes at once. Without a browser the rest still works, and the service reports at
    // start what is missing.
    title: 'Looking for the newest browser',
    stamp: join('.cache', 'setup', 'browser'),
    inputs: () => ['package-lock.json'],
    work: findBrowser,
    mayFail: true,
  },
];

const due = [packages, ...builds].filter(isDue);
const startedAt = performance.now();
if (due[0] === packages) await take(packages);
await Promise.all(due.filter((step) => step !== packages).map(take));
if (due.length > 0 && !process.exitCode) process.stderr.write(`Set up in ${secondsSince(startedAt)}\n`);

/** Says what it does and how far setup is. A step that fails is repeated by the next start, and what was done stays done. */
async function take(step) {
  const prefix = `[${due.indexOf(step) + 1}/${due.length}] ${step.title}`;
  process.stderr.write(`${prefix} …\n`);
  const begunAt = performance.now();
  const problem = await step.work();
  process.stderr.write(
    `${prefix}: ${problem === undefined ? 'done' : 'failed'} after ${secondsSince(begunAt)}\n`,
  );
  if (problem === undefined) {
    if (!step.stamp) return;
    mkdirSync(dirname(join(root, step.stamp)), { recursive: true });
    writeFileSync(join(root, step.stamp), digestOf(step));
  } else if (!step.mayFail) {
    process.stderr.write(problem);
    process.exitCode = 1;
    if (step === packages) process.exit();
  }
}

function isDue(step) {
  if (step.made && !existsSync(resolve(root, step.made))) return true;
  return step.stamp !== undefined && stampOf(step.stamp) !== digestOf(step);
}

function stampOf(stamp) {
  const path = join(root, stamp);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function digestOf({ inputs, suffix = '' }) {
  const hash = createHash('sha256');
  for (const input of inputs()) hash.update(input).update(readFileSync(join(root, input)));
  return hash.digest('hex') + suffix;
}

/** Without a way to a newer one, the one that is there will do. */
async function findBrowser() {
  const look = (...action) =>
    run(runtime, ['bin/tintype.js', 'browser', ...action], { stdio: ['ignore', 'ignore', 'inherit'] });
  return !process.env.CHROMIUM_PATH && (await look('renew')) === undefined ? undefined : look();
}

/** From nothing each time, so that an installation that was broken off leaves nothing behind. */
async function installPackages() {
  // By its path: in npm scripts, the runtime of an earlier installation comes first in PATH, and may not run.
  const npm = process.env.npm_execpath;
  const [command, ...given] = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  const cache = npmCache();
  if (cache !== undefined) process.env.npm_config_cache = cache;
  // Whatever NODE_ENV and the settings of npm say: the builders are peers, the runtimes of all systems optional.
  const kinds = ['--include=peer', '--include=optional', wantsAll ? '--include=dev' : '--omit=dev'];
  const options = [
    ...kinds,
    '--legacy-peer-deps=false',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
  ];
  const install = (...more) => run(command, [...given, 'ci', ...options, ...more]);
  // The lock file has the digest of each package, so what is in the cache need not be compared with the registry. It may know too little of a
  // newer lock file: then npm says ETARGET.
  const fromCache = await install('--prefer-offline');
  const problem = fromCache?.includes('ETARGET') ? await install() : fromCache;
  if (problem !== undefined) return problem;
  if (!existsSync(join(root, runtime)))
    return `npm installed no Node for ${process.platform} on ${process.arch}\n`;
  const lacking = await giveRuntimeItsLibrary();
  if (lacking !== undefined) return lacking;
  // npx finds the command here at once; otherwise it would first install the package elsewhere.
  symlinkSync('../../bin/tintype.js', join(root, 'node_modules', '.bin', 'tintype'));
  return wantsAll ? undefined : run(runtime, ['scripts/trim-packages.ts']);
}

/** npm keeps its downloads in the user's home; if that is not writable, in a new folder of the clone until the end. */
function npmCache() {
  const usual = process.env.npm_config_cache ?? join(homedir(), '.npm');
  try {
    mkdirSync(usual, { recursive: true });
    accessSync(usual, constants.W_OK);
    return undefined;
  } catch {
    return newFolder(join(root, '.cache'), 'npm-');
  }
}

/** Removed at the end. A new name each time: an existing folder may be somebody else's. */
function newFolder(parent, prefix) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, prefix));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
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
async function giveRuntimeItsLibrary() {
  const program = realpathSync(join(root, runtime));
  const { status, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status === 0 || !stderr.includes('libatomic')) return undefined;
  if (spawnSync('apt-get', ['--version']).error) {
    return `${stderr}Install libatomic with the package manager of your system, then start again.\n`;
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
  const problem =
    (await run('apt-get', [...settings, '-q', 'update'])) ??
    (await run('apt-get', [...settings, '-q', 'download', 'libatomic1'], { cwd: folder })) ??
    (await run('sh', ['-c', 'dpkg-deb -x *.deb unpacked'], { cwd: folder }));
  if (problem !== undefined) return problem;
  const library = readdirSync(join(folder, 'unpacked'), { recursive: true }).find((path) =>
    path.endsWith('libatomic.so.1'),
  );
  copyFileSync(join(folder, 'unpacked', library), join(dirname(program), 'libatomic.so.1'));
  renameSync(program, `${program}.real`);
  const script = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/node.real" "$@"
`;
  writeFileSync(program, script, { mode: 0o755 });
  return undefined;
}

/** Resolves to undefined, or to what it printed if it failed. */
function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    const fail = (reason) => resolve(`${output}\n"${command} ${args.join(' ')}" failed${reason}\n`);
    child.once('error', (error) => fail(`: ${error.message}`));
    child.once('close', (code) => (code === 0 ? resolve(undefined) : fail('')));
  });
}

function secondsSince(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}
