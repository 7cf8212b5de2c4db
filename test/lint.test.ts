// The linter of npm test works: it catches a planted promise that nobody awaits, and in the service also one that is only marked
// void, whose rejection would end the process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '#lab/support/processes.ts';

test('a floating promise is caught, an awaited one is not', async () => {
  // Inside the project, so that its configuration applies.
  const folder = await mkdtemp(join(root, 'test', 'lint-check-'));
  try {
    const lint = async (body: string) => {
      await writeFile(
        join(folder, 'planted.ts'),
        `export async function planted(work: () => Promise<void>): Promise<void> {\n  ${body}\n}\n`,
      );
      return spawnSync(join(root, 'node_modules', '.bin', 'oxlint'), ['--type-aware', folder], {
        cwd: root,
        encoding: 'utf8',
      });
    };
    const caught = await lint('work();');
    assert.notEqual(caught.status, 0);
    assert.match(caught.stdout, /no-floating-promises/);
    const silenced = await lint('void work();');
    assert.notEqual(silenced.status, 0);
    assert.match(silenced.stdout, /no-void/);
    const clean = await lint('await work();');
    assert.equal(clean.status, 0, clean.stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
