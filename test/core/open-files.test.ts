import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { connectionsFor, enoughFiles } from '#core/open-files.ts';

test('clients never get more descriptors than there are', () => {
  assert.deepEqual(
    [Infinity, 65_536, enoughFiles, 1_024, 64].map(connectionsFor),
    [8_000, 8_000, 8_000, 384, 1],
  );
  assert.ok(connectionsFor(enoughFiles - 2) < 8_000);
});

test('the limit of the process counts', () => {
  const script = "import('#core/open-files.ts').then(({ openFileLimit }) => console.log(openFileLimit()))";
  const { stdout, stderr } = spawnSync('sh', [
    '-c',
    'ulimit -n 1024; exec "$0" -e "$1"',
    process.execPath,
    script,
  ]);
  assert.equal(stdout.toString(), '1024\n', stderr.toString());
});
