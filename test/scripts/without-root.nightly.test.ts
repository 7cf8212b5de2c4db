// npm test passes for a user without rights, in a clone that belongs to them. TEST_FILES="test/core/ids.test.ts" runs a part of it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, temporaryFolder } from '#test/support/processes.ts';

/** What setup has made in this clone, so that it need not be fetched or built again. */
const made = ['node_modules', '.cache', 'dist', 'dashboard/dist', 'clients/dist'];
/** Of nobody, who has a name on every system. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

test(
  'npm test without root',
  { skip: isRoot ? false : 'this run is without root itself' },
  async (context) => {
    const { path, remove } = await temporaryFolder();
    context.after(remove);
    chmodSync(path, 0o755);
    const clone = join(path, 'clone');
    execFileSync('git', ['clone', '--quiet', root, clone]);
    for (const folder of made.filter((name) => existsSync(join(root, name))))
      execFileSync('cp', ['-a', join(root, folder), join(clone, folder)]);
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, path]);
    const files = process.env['TEST_FILES']?.split(' ') ?? [];
    const { status, stdout, stderr } = spawnSync(
      join(clone, 'node_modules', '.bin', 'node'),
      ['scripts/test.ts', ...files],
      {
        cwd: clone,
        uid: nobody,
        gid: nobody,
        env: { PATH: process.env['PATH'], HOME: path },
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    assert.equal(status, 0, `${stdout.slice(-5_000)}${stderr.slice(-2_000)}`);
  },
);
