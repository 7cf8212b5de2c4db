// Runs batches of test files in processes of their own and says what came of it: on standard output, and in test/output/ as JUnit's XML
// and as JSON.
import { createWriteStream, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { junit, spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import type { Batch } from './test-files.ts';
import { createReport, type FileResult } from './test-report.ts';

const root = join(import.meta.dirname, '..');
const output = join(root, 'test', 'output');
/** Of this run alone: another one in the same clone may run other files. */
const entries = join(root, 'node_modules', '.cache', 'tintype-tests', String(process.pid));

/** Resolves to the results of the files, and to whether everything passed. */
export async function runBatches(
  name: string,
  batches: Batch[],
  { atOnce, mostMinutes }: { atOnce: number; mostMinutes: number },
): Promise<{ results: readonly FileResult[]; isFine: boolean }> {
  mkdirSync(output, { recursive: true });
  mkdirSync(entries, { recursive: true });
  const report = createReport();
  let isFine = true;
  const events = run({
    files: batches.map(entryOf),
    concurrency: atOnce,
    // Only ends a test that hangs, so that it fails by name.
    timeout: mostMinutes * 60_000,
  });
  events
    .on('test:start', (data) => report.add({ type: 'test:start', data }))
    .on('test:pass', (data) => report.add({ type: 'test:pass', data }))
    .on('test:fail', (data) => {
      report.add({ type: 'test:fail', data });
      isFine = false;
    });
  const xmlFile = join(entries, `${name}.junit.xml`);
  const xml = createWriteStream(xmlFile);
  const copy = () => events.pipe(new PassThrough({ objectMode: true }));
  copy().compose(junit).pipe(onlyXml()).pipe(xml);
  copy().compose(new spec()).pipe(process.stdout);
  await finished(xml);
  // Whole, also if another run writes results of the same name.
  renameSync(xmlFile, join(output, `${name}.junit.xml`));
  const faults = report.faults(
    batches.flatMap(({ files, engine }) => files.map((file) => ({ file, engine }))),
  );
  const jsonFile = join(entries, `${name}.json`);
  writeFileSync(jsonFile, `${JSON.stringify(report.results(), null, 2)}\n`);
  renameSync(jsonFile, join(output, `${name}.json`));
  rmSync(entries, { recursive: true });
  process.stdout.write(`\n${report.summary(name)}`);
  for (const fault of faults) process.stdout.write(`✖ ${fault}\n`);
  return { results: report.results(), isFine: isFine && faults.length === 0 };
}

/** Titles may have characters that no XML may have, such as NUL, and Node writes them as they are. */
function onlyXml(): Transform {
  return new Transform({
    decodeStrings: false,
    encoding: 'utf8',
    transform(text: string | Buffer, _encoding, done) {
      done(
        null,
        String(text).replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'),
      );
    },
  });
}

/** A module that runs the files of a batch one after the other. */
function entryOf({ name, files, engine }: Batch): string {
  const file = join(entries, `${name}.test.mjs`);
  const { href } = pathToFileURL(join(root, 'scripts', 'test-together.ts'));
  writeFileSync(
    file,
    `process.env.TEST_ENGINE = '${engine}';
const { runTogether } = await import('${href}');
await runTogether(${JSON.stringify(files, null, 2)});
`,
  );
  return file;
}
