// Prepares a clone to run, quietly and once: dependencies, the Node runtime that comes with them, the dashboard and a browser.
// It runs on whatever Node the machine has (>= 20), before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

step(
  'Installing dependencies (once, about a minute)',
  'dependencies',
  ['package.json', 'package-lock.json'],
  () => {
    run('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund']);
    // npx finds the command here at once; without it, it makes an installation of its own first.
    symlinkSync('../../bin/tintype.js', join(root, 'node_modules', '.bin', 'tintype'));
  },
);

step(
  'Building the dashboard (once)',
  'dashboard',
  [
    'package-lock.json',
    ...filesUnder('dashboard'),
    ...filesUnder('src/http/assets'),
    ...filesUnder('src/http/dashboard/schemas'),
    'src/http/dashboard/contract.ts',
  ],
  () => {
    // Vite wants a newer Node than the machine may have; the one from npm is new enough.
    run(join('node_modules', '.bin', 'node'), ['node_modules/vite/bin/vite.js', 'build', 'dashboard']);
  },
  'dashboard/dist/index.html',
);

// Before tests and commands that start many processes at once. Without a browser the rest still works, and a start says again
// what is missing.
step('Looking for a browser (once)', 'browser', ['package-lock.json'], () => {
  const { status } = spawnSync(join('node_modules', '.bin', 'node'), ['bin/tintype.js', 'browser'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0;
});

/** Does its work when any of its inputs has changed since the last time, or what it made is gone. */
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

/** The sources in a folder, without what was built there. */
function filesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ name }) => name !== 'dist')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    });
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return;
  process.stderr.write(
    `${stdout ?? ''}${stderr ?? ''}${error ?? ''}\n"${command} ${args.join(' ')}" failed\n`,
  );
  process.exit(1);
}
