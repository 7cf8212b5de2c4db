// What scripts/test.ts promises: every test file belongs to a gate wherever it lies, and a file that runs no test fails the run.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { SaxesParser } from 'saxes';
import { clausesOf, countClauses } from '#scripts/test-clauses.ts';
import { batchesOf, findTests, withStores } from '#scripts/test-files.ts';
import type { FileResult } from '#scripts/test-report.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';

const passing = `import { test } from 'node:test';
test('one', () => {});
`;

test('a file belongs to the gate that its name says, in any folder', async (context) => {
  const tree = await treeOf(context, {
    'test/http/api/v9/deep/new.test.ts': '',
    'test/http/moved.gate.test.ts': '',
    'test/load.nightly.test.ts': '',
    'test/http/open-files.alone.test.ts': '',
    'test/http/kit.ts': '',
    'node_modules/library/its-own.test.ts': '',
  });
  assert.deepEqual(findTests(tree), {
    quick: ['test/http/api/v9/deep/new.test.ts', 'test/http/open-files.alone.test.ts'],
    gate: ['test/http/moved.gate.test.ts'],
    nightly: ['test/load.nightly.test.ts'],
  });
});

for (const file of [
  'test/slow.long.test.ts',
  'test/Upper.test.ts',
  'src/core/ids.test.ts',
  'test/page.test.tsx',
  'test/a.spec.ts',
]) {
  test(`a file that no gate would run is refused: ${file}`, async (context) => {
    const tree = await treeOf(context, { [file]: '' });
    assert.throws(
      () => findTests(tree),
      (error: Error) => error.message.startsWith(`no gate runs ${file}:`),
    );
  });
}

test('the files of a folder share processes, as many as their seconds are worth; others have one of their own', () => {
  const files = [
    'test/http/a.test.ts',
    'test/http/api/v1/b.test.ts',
    'test/http/c.alone.test.ts',
    'test/d.test.ts',
  ];
  const batches = batchesOf(
    files,
    { 'test/http/a.test.ts': 130, 'test/http/api/v1/b.test.ts': 120 },
    'sqlite-disk',
  );
  assert.deepEqual(
    batches.map((batch) => batch.files),
    [
      ['test/http/a.test.ts'],
      ['test/http/api/v1/b.test.ts'],
      ['test/http/c.alone.test.ts'],
      ['test/d.test.ts'],
    ],
  );
  const light = batchesOf(files, {}, 'sqlite-disk');
  assert.deepEqual(
    light.map((batch) => batch.files.length),
    [3, 1],
    'folders that are not worth a process are put together',
  );
});

test('a file of a room that reaches the stores through a kit runs on each engine, and any other on one', async (context) => {
  const tree = await treeOf(context, {
    'src/http/routes.ts': '',
    'test/client/of-no-room.test.ts': `import { newStores } from '#test/support/stores.ts';`,
    'test/http/types-only.test.ts': `import type { Place } from '#test/support/stores.ts';`,
    'test/http/direct.test.ts': `import { newStores } from '#test/support/stores.ts';`,
    'test/http/through.test.ts': `import { start } from './kit.ts';`,
    'test/http/kit.ts': `export { newStores as start } from '#test/support/stores.ts';`,
    'test/http/neither.test.ts': `import assert from 'node:assert/strict';`,
    'test/support/stores.ts': '',
  });
  assert.deepEqual(withStores(tree, findTests(tree).quick), [
    'test/http/direct.test.ts',
    'test/http/through.test.ts',
  ]);
});

test('a clause counts the tests that passed under it on an engine, and those of its points', () => {
  const contract = [
    '## 1. The service',
    '## 4. Endpoints',
    '### 4.2 Batches',
    '- **4.2.1** In order.',
    '- **4.2.2** Each costs a unit.',
    '## 10. Version 2',
    '### 10.1 Renders',
    '| 3 | not a clause |',
  ].join('\n');
  const clauses = clausesOf(contract);
  assert.deepEqual(clauses, ['4', '4.2', '4.2.1', '4.2.2', '10', '10.1']);
  const ran = (engine: string, ...titles: string[]): FileResult => ({
    file: 'test/http/a.test.ts',
    engine,
    tests: titles.length,
    failed: 0,
    skipped: [],
    seconds: 1,
    titles,
  });
  const results = [
    ran('sqlite-disk', '4.2.1 files are handled in order', '40 files at once', '4.2 a batch', '9.9 unknown'),
    ran('postgres-s3', '10.1 renders › answers › 200 of them'),
  ];
  assert.deepEqual(Object.fromEntries(countClauses(clauses, results, 'sqlite-disk')), {
    '4': 2,
    '4.2': 2,
    '4.2.1': 1,
    '4.2.2': 0,
    '10': 0,
    '10.1': 0,
  });
  assert.equal(countClauses(clauses, results, 'postgres-s3').get('10'), 1);
});

test('a run fails if a file has no test, or ends before its time', async (context) => {
  const folder = await folderOfTests(context, {
    empty: 'export {};\n',
    ends: `import { test } from 'node:test';\ntest('three', () => process.exit(0));\n`,
  });
  const faults = { empty: 'ran no test', ends: 'was not run to its end' };
  for (const [name, fault] of Object.entries(faults)) {
    const file = join(folder, `${name}.test.ts`);
    const { status, stdout } = runTests([file]);
    assert.equal(status, 1, stdout);
    assert.ok(stdout.includes(`✖ ${file} on sqlite-disk ${fault}\n`), stdout);
  }
});

test('on Postgres and S3, a file whose tests keep nothing there fails', async (context) => {
  const keeps = `import { test } from 'node:test';
import { newStorageUrl } from '#test/support/stores.ts';
test('one', () => newStorageUrl());
`;
  const skips = keeps.replace("'one', ", "'one', { skip: 'not today' }, ");
  const folder = await folderOfTests(context, { keeps, skips, passes: passing });
  const files = ['keeps', 'skips', 'passes'].map((name) => join(folder, `${name}.test.ts`));
  const { status, stdout } = runTests(files, { TEST_ENGINE: 'postgres-s3' });
  assert.equal(status, 1, stdout);
  assert.match(stdout, /named: 3 files, 6 tests, 2 failed, 1 skipped/);
});

test('two runs at once in one clone do not disturb each other; failed rounds are counted; results are XML', async (context) => {
  // No XML may have these characters.
  const passes = `import { test } from 'node:test';\ntest('\\u0000 \\ud800 <&>', () => {});\n`;
  const fails = `import { test } from 'node:test';\ntest('\\u0000 \\ud800 <&>', () => { throw new Error('no'); });\n`;
  const folder = await folderOfTests(context, { passes, fails });
  const outputs = await Promise.all(
    ['passes', 'fails'].map((name) => startTests(['--rounds', '2', join(folder, `${name}.test.ts`)])),
  );
  assert.match(outputs[0]!, /^0 of 2 rounds failed$/m);
  assert.match(outputs[1]!, /^2 of 2 rounds failed\n {2}\S+fails\.test\.ts: 2 times$/m);
  const resultOf = (kind: string) => readFile(join(root, 'test', 'output', `named.${kind}`), 'utf8');
  assert.equal((JSON.parse(await resultOf('json')) as FileResult[]).length, 1);
  const xml = await resultOf('junit.xml');
  assert.match(xml, /<testcase name="\ufffd \ufffd &lt;&amp;>"/);
  assert.doesNotThrow(() => new SaxesParser().write(xml).close());
});

test('a process whose tests leave something open is ended, and the run fails with the name of the file', async (context) => {
  const leftOpen = {
    server: [`createServer().listen(0, '127.0.0.1');`, 'TCPServerWrap'],
    timer: ['setInterval(() => {}, 60_000);', 'Timeout'],
  } as const;
  for (const [name, [statement, resource]] of Object.entries(leftOpen)) {
    const leaves = `import { createServer } from 'node:net';\n${passing}test('leaves it', () => { ${statement} });\n`;
    const folder = await folderOfTests(context, { before: passing, [name]: leaves, later: passing });
    const file = (of: string) => join(folder, `${of}.test.ts`);
    const { status, stdout } = runTests([file('before'), file(name), file('later')], {
      TEST_LEFT_OPEN_MS: '100',
    });
    assert.equal(status, 1, stdout);
    assert.match(stdout, /named: 3 files, 4 tests, 0 failed, 0 skipped/);
    assert.match(stdout, /✖ 1 processes failed outside of their tests/);
    assert.ok(
      stdout.includes(
        `100 ms after the last test this is still open, by the files that opened some: ${resource} (${file(name)})\n`,
      ),
      stdout,
    );
  }
});

/** In the repository, as the files that are run are. Resolves to the path relative to it. */
async function folderOfTests(context: TestContext, files: Record<string, string>): Promise<string> {
  await mkdir(join(root, 'test', 'output'), { recursive: true });
  const folder = await mkdtemp(join(root, 'test', 'output', 'gates-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.test.ts`), text);
  return relative(root, folder);
}

// A run inside a run must not report to the outer one.
const { NODE_TEST_CONTEXT: _, TEST_ENGINE: _engine, ...env } = process.env;
const runner = join(root, 'scripts', 'test.ts');

function runTests(files: string[], settings: Record<string, string> = {}) {
  return spawnSync(process.execPath, [runner, ...files], {
    cwd: root,
    env: { ...env, ...settings },
    encoding: 'utf8',
  });
}

/** Resolves to what it printed. */
async function startTests(args: string[]): Promise<string> {
  const child = spawn(process.execPath, [runner, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text(child.stdout);
}

async function treeOf(context: TestContext, files: Record<string, string>): Promise<string> {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return path;
}
