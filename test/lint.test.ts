// The linter of npm test works: it catches a planted promise that nobody awaits, and in the service also one that is only marked
// void, whose rejection would end the process. It refuses tests that pause or measure how fast something is, and timers in the service
// that tests cannot move.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { root } from '#test/support/processes.ts';

test('a floating promise is caught, an awaited one is not', async (context) => {
  const complaints = await lint(context, '--type-aware', {
    floating: inFunction('work();'),
    silenced: inFunction('void work();'),
    awaited: inFunction('await work();'),
  });
  assert.match(complaints['floating']!, /no-floating-promises/);
  assert.match(complaints['silenced']!, /no-void/);
  assert.equal(complaints['awaited'], '');
});

const caught = {
  'no-durations': [
    'const start = Date.now(); assert.ok(performance.now() - start < 100);',
    'const start = performance.now(); work(); const end = performance.now(); assert.ok(end - start < 100);',
    'assert.ok(performance.now() < ends);',
    'const start = Date.now(); work(); const took = Date.now() - start; assert.ok(took < 100);',
    'assert.ok(Date.now() - seen.at < 100);',
    'assert.ok(Date.now() - (seen.at ?? 0) < 100);',
  ],
  'no-pauses': [
    `import { setTimeout } from 'node:timers/promises'; await setTimeout(10);`,
    `import { setTimeout as sleep } from 'timers/promises'; await sleep(10);`,
    `import { scheduler } from 'node:timers/promises'; await scheduler.wait(10);`,
    `import * as timers from 'node:timers/promises'; await timers.setTimeout(10);`,
    'await new Promise((resolve) => setTimeout(resolve, 10));',
    'await new Promise<void>((resolve) => { setTimeout(() => resolve(), 10); });',
    'const { promise, resolve } = Promise.withResolvers<void>(); setTimeout(resolve, 10); await promise;',
    'const end = Promise.withResolvers<void>(); setTimeout(end.resolve, 10); await end.promise;',
  ],
};
const allowed = [
  'export const twoHoursAgo = Date.now() - 2 * 3_600_000;',
  'assert.ok(Date.parse(text) - Date.now() > 0);',
  'const worker = { startedAt: performance.now() };',
  `import { setImmediate } from 'node:timers/promises'; await setImmediate();`,
  'createServer((_request, response) => { setTimeout(() => response.end(), 10); });',
  `// oxlint-disable-next-line tests/no-pauses -- a reason
await new Promise((resolve) => setTimeout(resolve, 10));`,
];

test('a test that pauses or measures a duration is refused, but not at night', async (context) => {
  const all = Object.values(caught).flat();
  const files = Object.fromEntries([
    ...Object.entries(caught).flatMap(([rule, texts]) =>
      texts.map((text, index) => [`${rule}-${index}`, text]),
    ),
    ...allowed.map((text, index) => [`allowed-${index}`, text]),
    ['night.nightly.test', all.map((text) => (text.startsWith('import') ? '' : `{ ${text} }`)).join('\n')],
  ]) as Record<string, string>;
  const complaints = await lint(context, '--quiet', files);
  for (const [file, text] of Object.entries(files)) {
    const [rule] = Object.keys(caught).filter((name) => file.startsWith(name));
    if (rule) assert.match(complaints[file]!, new RegExp(`tests\\(${rule}\\)`), text);
    else assert.doesNotMatch(complaints[file]!, /tests\(/, text);
  }
});

test('a timer in the service is refused, a turn of the event loop is not', async (context) => {
  // The linter treats files of these names as the service's.
  const { 'no-timers-turn': turn, ...timers } = await lint(context, '--quiet', {
    'no-timers-once': 'setTimeout(() => {}, 10);',
    'no-timers-often': 'globalThis.setInterval(() => {}, 10);',
    'no-timers-promise': `import { setTimeout as sleep } from 'node:timers/promises'; await sleep(10);`,
    'no-timers-all': `import * as timers from 'node:timers'; timers.setTimeout(() => {}, 10);`,
    'no-timers-signal': 'export const signal = AbortSignal.timeout(10);',
    'no-timers-turn': `import { setImmediate } from 'node:timers/promises'; await setImmediate();`,
  });
  for (const [file, complaint] of Object.entries(timers)) assert.match(complaint, /clock\(no-timers\)/, file);
  assert.doesNotMatch(turn!, /clock\(/);
});

const inFunction = (body: string): string =>
  `export async function started(work: () => Promise<void>): Promise<void> {\n  ${body}\n}\n`;

/** Inside the project, so that its configuration applies. Resolves to what is said of each file. */
async function lint(
  context: TestContext,
  flag: string,
  files: Record<string, string>,
): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(root, 'test', 'lint-check-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.ts`), text);
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules', '.bin', 'oxlint'),
    [flag, '--format=unix', folder],
    { cwd: root, encoding: 'utf8' },
  );
  assert.equal(status, 1, stdout + stderr);
  const lines = stdout.split('\n');
  return Object.fromEntries(
    Object.keys(files).map((name) => [
      name,
      lines.filter((line) => line.includes(`/${name}.ts:`)).join('\n'),
    ]),
  );
}
