// What a run of scripts/test.ts promises: a file that runs no test, keeps nothing on Postgres or leaves something open fails it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { SaxesParser } from 'saxes';
import type { FileResult } from '#scripts/test-report.ts';
import { root } from '#test/support/processes.ts';

const passing = `import { test } from 'node:test';
test('one', () => {});
`;

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
