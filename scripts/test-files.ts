// Which gate a test file belongs to, and which files share a process. Both follow from the file's name and folder:
// `x.test.ts` is quick, `x.gate.test.ts` and `x.nightly.test.ts` belong to the later gates, and `x.alone.test.ts` (of any gate) gets a
// process of its own, because it looks at the open files or the children of its process.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

export const gates = ['quick', 'gate', 'nightly'] as const;
export type Gate = (typeof gates)[number];

/** Where the services and suites of a process keep their data. */
export const engines = ['sqlite-disk', 'postgres-s3'] as const;
export type Engine = (typeof engines)[number];

/** Test files that one process runs, one after the other. */
export interface Batch {
  name: string;
  engine: Engine;
  files: string[];
  seconds: number;
}

const testName = /^[a-z0-9-]+(?<alone>\.alone)?(?:\.(?<gate>gate|nightly))?\.test\.ts$/;

/**
 * A process with less work than this is not worth what it begins with: loading the service costs two to three seconds of processor time, and
 * its browsers as much again.
 */
const leastSecondsOfProcess = 120;
/** What a file takes that has not been recorded. */
const unknownSeconds = 3;

export function gateOf(file: string): Gate | undefined {
  const match = testName.exec(basename(file));
  return match ? ((match.groups?.['gate'] as Gate | undefined) ?? 'quick') : undefined;
}

/** Every test file of the tree by its gate. Throws if one would be run by no gate. */
export function findTests(root: string): Record<Gate, string[]> {
  const found: Record<Gate, string[]> = { quick: [], gate: [], nightly: [] };
  const homeless: string[] = [];
  const named = globSync('**/*.{test,spec}.{ts,tsx,js,mjs}', {
    cwd: root,
    exclude: ['node_modules', '**/node_modules', '**/dist', 'test/fixtures', 'test/output', '.cache', 'data'],
  });
  for (const file of named.toSorted()) {
    const gate = file.startsWith('test/') ? gateOf(file) : undefined;
    if (gate) found[gate].push(file);
    else homeless.push(file);
  }
  if (homeless.length > 0) {
    throw new Error(
      `no gate runs ${homeless.join(', ')}: test files are in test/ and end with .test.ts, .gate.test.ts or .nightly.test.ts`,
    );
  }
  return found;
}

/**
 * Those that run on Postgres and S3 as well: tests of a room of the service that keep data through the kit's stores or engines. Tests of
 * clients and of the whole program find nothing there that these do not.
 */
export function withStores(root: string, files: string[]): string[] {
  const stores = new Set(['test/support/stores.ts', 'test/storage/engines.ts']);
  const imports = new Map<string, string[]>();
  const isOfRoom = (file: string): boolean => existsSync(join(root, 'src', folderOf(file)));
  return files.filter((file) => isOfRoom(file) && reaches(file, new Set()));

  function reaches(file: string, seen: Set<string>): boolean {
    if (stores.has(file)) return true;
    if (seen.has(file)) return false;
    seen.add(file);
    let targets = imports.get(file);
    if (!targets) imports.set(file, (targets = importsOf(root, file)));
    return targets.some((target) => reaches(target, seen));
  }
}

/**
 * Files of one folder directly under test/ share processes, however deep they lie in it. A folder has as many processes as its recorded
 * seconds are worth, and each gets an equal share of them; folders that are not worth one are put together.
 */
export function batchesOf(files: string[], durations: Record<string, number>, engine: Engine): Batch[] {
  const alone = files.filter((file) => testName.exec(basename(file))?.groups?.['alone']);
  const secondsOf = (file: string): number => durations[file] ?? unknownSeconds;
  const total = (members: string[]): number => members.reduce((sum, file) => sum + secondsOf(file), 0);
  const folders = [
    ...Map.groupBy(
      files.filter((file) => !alone.includes(file)),
      folderOf,
    ),
  ];
  const [large, small] = [true, false].map((isLarge) =>
    folders.filter(([, members]) => total(members) >= leastSecondsOfProcess === isLarge),
  );
  const groups = [...large!, ['small', small!.flatMap(([, members]) => members)] as const];
  const batches: Batch[] = alone.map((file) => ({
    name: `${engine}.${basename(file, '.test.ts')}`,
    engine,
    files: [file],
    seconds: secondsOf(file),
  }));
  for (const [name, members] of groups.filter(([, files]) => files.length > 0)) {
    const processes: Batch[] = Array.from(
      { length: Math.max(1, Math.floor(total(members) / leastSecondsOfProcess)) },
      (_, number) => ({ name: `${engine}.${name}-${number + 1}`, engine, files: [], seconds: 0 }),
    );
    for (const file of members.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
      const emptiest = processes.reduce((least, batch) => (batch.seconds < least.seconds ? batch : least));
      emptiest.files.push(file);
      emptiest.seconds += secondsOf(file);
    }
    batches.push(...processes);
  }
  return batches.toSorted((a, b) => b.seconds - a.seconds);
}

/** Directly under test/, or `test` itself. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1)[1] ?? 'test';
}

function importsOf(root: string, file: string): string[] {
  // A test may name a module that it writes only when it runs.
  if (!existsSync(join(root, file))) return [];
  const text = readFileSync(join(root, file), 'utf8');
  const used = text.replaceAll(/^import type [^;]*;/gm, '');
  return [...used.matchAll(/(?:from|import\()\s*'(?<target>[^']+)'/g)].flatMap(({ groups }) => {
    const target = groups?.['target'] ?? '';
    if (target.startsWith('#')) return /^#(?:test|lab)\//.test(target) ? [target.slice(1)] : [];
    return target.startsWith('.') ? [normalize(join(dirname(file), target))] : [];
  });
}
