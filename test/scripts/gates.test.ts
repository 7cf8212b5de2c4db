// What scripts/test.ts promises: every test file belongs to a gate wherever it lies, and a clause without a test is found. runs.gate.test.ts
// runs it.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { clausesOf, countClauses } from '#scripts/test-clauses.ts';
import { batchesOf, findTests, withStores } from '#scripts/test-files.ts';
import type { FileResult } from '#scripts/test-report.ts';
import { temporaryFolder } from '#test/support/processes.ts';

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

async function treeOf(context: TestContext, files: Record<string, string>): Promise<string> {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return path;
}
