// npm test: format, lint, types, then every quick test. npm run test:long: the long ones (*.long.test.ts). Arguments narrow the
// tests to files: npm test -- test/core/*.test.ts
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
const isLong = process.argv[2] === '--long';
const named = process.argv.slice(isLong ? 3 : 2);
const files =
  named.length > 0 ? named : testFiles().filter((file) => file.endsWith('.long.test.ts') === isLong);

if (named.length === 0 && !isLong) {
  run('format', bin('oxfmt'), ['--check', '.']);
  run('lint', bin('oxlint'), ['--type-aware', '--deny-warnings']);
  run('unused code', bin('knip'), ['--no-progress']);
  run('types', bin('tsc'), []);
  run('types of the dashboard', bin('tsc'), ['-p', 'dashboard']);
}
// One file more than there are cores, because many tests wait for a budget or a timer to end. Continuous integration runs them
// one by one: it has the time, and then a failure has one cause.
const isOneByOne = isLong || process.env.CI === 'true';
const concurrency = `--test-concurrency=${isOneByOne ? 1 : availableParallelism() + 1}`;
// Each file is a process that loads the same modules: they share compiled code here.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'tintype');
run(isLong ? 'long tests' : 'tests', process.execPath, ['--test', concurrency, ...files]);

function testFiles(): string[] {
  return globSync('test/**/*.test.ts', { cwd: root }).toSorted();
}

function run(title: string, command: string, args: string[]): void {
  process.stdout.write(`▶ ${title}\n`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}
