// Prepares a clone to run, quietly and once: dependencies, and the Node runtime that comes with them.
// It runs on whatever Node the machine has (>= 20), before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** Does its work when any of its inputs has changed since the last time. */
function step(title, name, inputs, work) {
  const stamp = join(root, 'node_modules', `.tintype-${name}`);
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(readFileSync(join(root, input)));
  const wanted = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write(`${title} …\n`);
  work();
  writeFileSync(stamp, wanted);
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
