// The linter of npm test works: it catches a planted promise that nobody awaits, and in the service also one that is only marked
// void, whose rejection would end the process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '#test/support/processes.ts';

test('a floating promise is caught, an awaited one is not', async () => {
  // Inside the project, so that its configuration applies.
  const folder = await mkdtemp(join(root, 'test', 'lint-check-'));
  try {
    const planted = { floating: 'work();', silenced: 'void work();', awaited: 'await work();' };
    for (const [name, body] of Object.entries(planted)) {
      await writeFile(
        join(folder, `${name}.ts`),
        `export async function ${name}(work: () => Promise<void>): Promise<void> {\n  ${body}\n}\n`,
      );
    }
    const { status, stdout } = spawnSync(
      join(root, 'node_modules', '.bin', 'oxlint'),
      ['--type-aware', '--format=unix', folder],
      { cwd: root, encoding: 'utf8' },
    );
    assert.notEqual(status, 0);
    const complaints = stdout.split('\n').filter((line) => line.includes('lint-check-'));
    assert.ok(
      complaints.some((line) => /floating\.ts:.*no-floating-promises/.test(line)),
      stdout,
    );
    assert.ok(
      complaints.some((line) => /silenced\.ts:.*no-void/.test(line)),
      stdout,
    );
    assert.ok(!complaints.some((line) => line.includes('awaited.ts')), stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
