// npm test: format, lint, unused code and types side by side, then every quick test. npm run test:long: the long ones
// (*.long.test.ts). Arguments narrow the tests to files: npm test -- test/core/*.test.ts
import { spawn } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.cache');
const isLong = process.argv[2] === '--long';
const named = process.argv.slice(isLong ? 3 : 2);

/** Folders in the order of their tests. The longest go first: one that begins last would run alone at the end. */
const order = [
  'test/dashboard',
  'test/client',
  'test/http/api',
  'test/metering',
  'test/browser',
  'test/accounts',
  'test/http',
  'test/fleet',
  'test',
];

/**
 * Files that share one process or a few: loading the modules of the service takes 2.5 s of CPU time, and a Postgres two. All others
 * have a process each, because they look at its children, or because they run better side by side. Node's own switch for this
 * (`isolation: 'none'`) runs the hooks of all files before the first test, so all their services and databases would run at once.
 */
const together: { name: string; files: string[]; processes?: number }[] = [
  { name: 'dashboard', files: ['test/dashboard/*'], processes: 3 },
  { name: 'client', files: ['test/client/*'] },
  { name: 'pictures', files: ['test/browser/{capture,print,writing-modes}.test.ts'] },
  { name: 'storage', files: ['test/{storage,metering,delivery}/*'] },
  { name: 'http', files: ['test/http/*', 'test/http/{exchanges,hosted}/*'] },
  { name: 'api', files: ['test/http/{api,dashboard}/*'] },
  { name: 'rooms', files: ['test/{accounts,core,lab,renders,uploads}/*'] },
  {
    name: 'no-browser',
    files: [
      'test/browser/{cached-folder,cdp-messages,chromium-flags,egress-*,library-file,memory,names,page-stock,pool,slow-arrival,slow-drawing,traffic,virtual-clock}.test.ts',
      'test/{config,deploy,deploy-schemas,documents,house,output,systemd}.test.ts',
    ],
  },
];

/** Named above, but not in that process: they count the open files of their own. */
const alone = ['test/http/connections.test.ts', 'test/http/let-go.test.ts'];

const checks: [title: string, program: string, ...args: string[]][] = [
  ['format', 'oxfmt', '--check', '.'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['unused code', 'knip', '--no-progress'],
  // Each further checker resolves the types of the libraries again: four of them, the default, cost twice the CPU time of one.
  ['types', 'tsc', '--checkers', '1'],
  ['types of the dashboard', 'tsc', '--checkers', '1', '-p', 'dashboard'],
];

// The processes of the tests load the same modules: they share compiled code here.
process.env['NODE_COMPILE_CACHE'] ??= join(cache, 'tintype');
if (named.length > 0) runTests(named.map((file) => resolve(file)));
else if (isLong) runTests(filesOf('test/**/*.long.test.ts'));
else if ((await Promise.all(checks.map(passes))).every(Boolean)) runTests(quickTests());
else process.exitCode = 1;

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).toSorted();
}

/**
 * More than there are cores, because many tests wait for a budget or a timer to end. A full Chromium has twice as much to do, a long test
 * has processes of its own, and continuous integration has time.
 */
function atOnce(): number {
  const cores = availableParallelism();
  const isCalm = isLong || process.env['CI'] === 'true' || process.env['CHROMIUM_PATH'] !== undefined;
  return isCalm ? cores : 2 * cores + 1;
}

function runTests(files: string[]): void {
  run({
    files: files.map((file) => resolve(root, file)),
    concurrency: atOnce(),
    // Only ends a test that hangs, so that it fails by name.
    timeout: isLong ? 1_800_000 : 900_000,
  })
    .on('test:fail', () => (process.exitCode = 1))
    .compose(spec)
    .pipe(process.stdout);
}

/** Its output is shown when it has ended, so that two checks do not mix. */
async function passes([title, program, ...args]: (typeof checks)[number]): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(join(root, 'node_modules', '.bin', program), args, {
    cwd: root,
    // For the lint's type checker, as above. The checks run side by side and so use all cores anyway.
    env: { ...process.env, GOMAXPROCS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const { promise: code, resolve: onClose, reject: onError } = Promise.withResolvers<number | null>();
  child.on('close', onClose).on('error', onError);
  const isFine = (await code) === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${isFine ? '✔' : '✖'} ${title} (${seconds} s)\n${isFine ? '' : output}`);
  return isFine;
}

/** What is started as a process: a file, or an entry for all files that share one. */
function quickTests(): string[] {
  const files = filesOf('test/**/*.test.ts').filter((file) => !file.endsWith('.long.test.ts'));
  const isShared = new Set<string>();
  const entries = together.flatMap(({ name, files: patterns, processes = 1 }) => {
    const members = new Set(patterns.flatMap(filesOf)).difference(new Set(alone));
    const mine = files.filter((file) => members.has(file));
    for (const file of mine) isShared.add(file);
    return Array.from({ length: processes }, (_, number) =>
      entryOf(
        `${name}.${number}`,
        mine.filter((_file, index) => index % processes === number),
      ),
    );
  });
  const apart = files.filter((file) => !isShared.has(file)).map((file) => ({ folder: dirname(file), file }));
  const rank = ({ folder }: { folder: string }): number => order.indexOf(folder) + 1 || order.length + 1;
  return [...apart, ...entries].toSorted((a, b) => rank(a) - rank(b)).map(({ file }) => file);
}

function entryOf(name: string, files: string[]): { folder: string; file: string } {
  const file = join(cache, 'tintype-tests', `${name}.test.mjs`);
  const { href } = pathToFileURL(join(root, 'scripts', 'test-together.ts'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `import { runTogether } from '${href}';\nawait runTogether(${JSON.stringify(files, null, 2)});\n`,
  );
  return { folder: dirname(files[0] ?? ''), file };
}
