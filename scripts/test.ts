// npm test: format, lint, types, then every test. Arguments narrow the tests: npm test -- test/core/*.test.ts
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
const files = process.argv.slice(2);

if (files.length === 0) {
  run('format', bin('oxfmt'), ['--check', '.']);
  run('lint', bin('oxlint'), ['--type-aware', '--deny-warnings']);
  run('types', bin('tsc'), []);
  run('types of the dashboard', bin('tsc'), ['-p', 'dashboard']);
}
run('tests', process.execPath, ['--test', ...(files.length > 0 ? files : ['test/**/*.test.ts'])]);

function run(title: string, command: string, args: string[]): void {
  process.stdout.write(`▶ ${title}\n`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}
