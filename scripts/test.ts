// npm test: format, lint, unused code and types side by side, then the quick gate. npm run test:gate and npm run test:nightly: the other
// two. Arguments narrow the tests to files: npm test -- test/core/*.test.ts, on the engine of TEST_ENGINE. With --rounds 20 they run twenty
// times, and with --record, what each file took is written down for the order of later runs.
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { clausesOf, countClauses } from './test-clauses.ts';
import {
  batchesOf,
  engines,
  findTests,
  gates,
  withStores,
  type Batch,
  type Engine,
  type Gate,
} from './test-files.ts';
import type { FileResult } from './test-report.ts';
import { runBatches } from './test-run.ts';

interface Ran {
  results: readonly FileResult[];
  isFine: boolean;
}

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.cache');
const durationsFile = join(root, 'test', 'durations.json');
/** How often the nightly gate runs every quick file: one that fails once has found something. */
const nightlyRounds = 20;

const checks: [title: string, program: string, ...args: string[]][] = [
  ['format', 'oxfmt', '--check', '.'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['unused code', 'knip', '--no-progress'],
  // Each further checker resolves the types of the libraries again: four of them, the default, cost twice the CPU time of one.
  ['types', 'tsc', '--checkers', '1'],
  // They run on older systems, with fewer types.
  ['types of the clients', 'tsc', '--checkers', '1', '-p', 'clients'],
  ['types of the dashboard', 'tsc', '--checkers', '1', '-p', 'dashboard'],
];

const { values: given, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    gate: { type: 'string', default: 'quick' },
    record: { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
// The processes of the tests load the same modules: they share compiled code here.
process.env['NODE_COMPILE_CACHE'] ??= join(cache, 'tintype');
const cores = availableParallelism();
// One more than there are cores, because tests wait for a browser or a process of their own. Two more gain 3 % of the time, for 4 % more
// processor time and less steady tests.
const busy = { atOnce: cores + 1, mostMinutes: 30 };
const tests = findTests(root);
const durations = readDurations();
const [local, shared] = engines;

const isFine = named.length > 0 ? await runNamed() : await runGate(nameOfGate());
process.stdout.write(processorTime());
if (!isFine) process.exitCode = 1;

async function runNamed(): Promise<boolean> {
  const files = named.flatMap((pattern) => {
    const found = globSync(pattern);
    if (found.length === 0) throw new Error(`no file is called ${pattern}`);
    return found.map((file) => relative(root, resolve(file)));
  });
  const engine = engines.find((known) => known === process.env['TEST_ENGINE']) ?? local;
  return inRounds(1, () => runBatches('named', batchesOf(files, durations, engine), busy));
}

async function runGate(gate: Gate): Promise<boolean> {
  if (gate === 'quick')
    return (await Promise.all(checks.map(passes))).every(Boolean) && inRounds(1, runQuick);
  if (gate === 'gate') {
    const again = batchesOf(withStores(root, tests.quick), durations, shared);
    const batches = [...batchesOf(tests.gate, durations, local), ...again];
    return inRounds(1, () => runAndRecord(gate, batches, shared));
  }
  // What judges load runs alone.
  const night = await runBatches(gate, batchesOf(tests.nightly, durations, local), {
    atOnce: 1,
    mostMinutes: 120,
  });
  return (await inRounds(nightlyRounds, runQuick)) && night.isFine;
}

/** A test that fails once has found something, so every round must pass. Says which files failed, and how often. */
async function inRounds(usual: number, run: () => Promise<Ran>): Promise<boolean> {
  const rounds = Number(given.rounds ?? usual);
  const failures = new Map<string, number>();
  let failedRounds = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const { results, isFine } = await run();
    if (!isFine) failedRounds += 1;
    for (const { file, failed } of results) if (failed > 0) failures.set(file, (failures.get(file) ?? 0) + 1);
  }
  if (rounds > 1) {
    process.stdout.write(`${failedRounds} of ${rounds} rounds failed\n`);
    for (const [file, count] of failures) process.stdout.write(`  ${file}: ${count} times\n`);
  }
  return failedRounds === 0;
}

function runQuick(): Promise<Ran> {
  return runAndRecord('quick', batchesOf(tests.quick, durations, local), local);
}

/** Fails as well if a clause of the contract has no test on the engine for which the gate stands. */
async function runAndRecord(gate: Gate, batches: Batch[], engine: Engine): Promise<Ran> {
  const { results, isFine: isGateFine } = await runBatches(gate, batches, busy);
  if (given.record) record(results);
  const clauses = clausesOf(readFileSync(join(root, 'docs', 'contract.md'), 'utf8'));
  const counts = [...countClauses(clauses, results, engine)];
  const table = counts.map(([clause, count]) => `${clause}\t${count}\n`).join('');
  writeFileSync(join(root, 'test', 'output', `${gate}.clauses.tsv`), table);
  const without = counts.filter(([, count]) => count === 0).map(([clause]) => clause);
  const missing = without.length === 0 ? '' : `; ✖ none for ${without.join(', ')}`;
  process.stdout.write(`clauses of the contract: ${clauses.length} on ${engine}${missing}\n`);
  return { results, isFine: isGateFine && without.length === 0 };
}

function nameOfGate(): Gate {
  const found = gates.find((name) => name === given.gate);
  if (!found) throw new Error(`there is no gate "${given.gate}": ${gates.join(', ')}`);
  return found;
}

/** Its output is shown when it has ended, so that two checks do not mix. */
async function passes([title, program, ...args]: (typeof checks)[number]): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(join(root, 'node_modules', '.bin', program), args, {
    cwd: root,
    // For the type checkers, which are written in Go. GOMAXPROCS as above: the checks run side by side and so use all cores anyway. They end
    // soon, so with four times the usual memory they collect less garbage, for a tenth less processor time.
    env: { ...process.env, GOMAXPROCS: '1', GOGC: '400' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  }
  const { promise: code, resolve: onClose, reject: onError } = Promise.withResolvers<number | null>();
  child.on('close', onClose).on('error', onError);
  const isFine = (await code) === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${isFine ? '✔' : '✖'} ${title} (${seconds} s)\n${isFine ? '' : text}`);
  return isFine;
}

function readDurations(): Record<string, number> {
  return existsSync(durationsFile)
    ? (JSON.parse(readFileSync(durationsFile, 'utf8')) as Record<string, number>)
    : {};
}

/** Whole seconds, so that a run changes few lines of the file; those of files that are gone go with them. */
function record(results: readonly FileResult[]): void {
  const known = new Set(Object.values(tests).flat());
  for (const { file, engine, seconds } of results) {
    if (engine !== local) continue;
    durations[file] = Math.ceil(seconds);
  }
  const kept = Object.entries(durations).filter(([file]) => known.has(file));
  writeFileSync(
    durationsFile,
    `${JSON.stringify(Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
  );
}

/** Of this process and all that it waited for, where the system tells. */
function processorTime(): string {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return `${Math.round(ticks / 100)} s of processor time\n`;
  } catch {
    return '';
  }
}
