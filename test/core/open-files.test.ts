import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { openFileShares } from '#core/open-files.ts';

function shares(renders: number, openFiles: number) {
  const { clients, perRender } = openFileShares({ renders, connectionsEach: 256 }, openFiles);
  return { clients, perRender, used: 256 + 2 * clients + 2 * perRender * renders };
}

test('clients and pages together never get more descriptors than there are', () => {
  assert.deepEqual(shares(6, Infinity), { clients: 8_000, perRender: 256, used: 19_328 });
  assert.deepEqual(shares(6, 65_536), { clients: 8_000, perRender: 256, used: 19_328 });
  assert.deepEqual(shares(6, 1_024), { clients: 192, perRender: 32, used: 1_024 });
  for (const openFiles of [1_024, 2_048, 4_096, 16_256, 20_000])
    for (const renders of [1, 4, 48]) assert.ok(shares(renders, openFiles).used <= openFiles);
  assert.deepEqual(shares(256, 64), { clients: 1, perRender: 1, used: 770 });
});

test('the limit of the process counts', () => {
  const script =
    "import('#core/open-files.ts').then(({ openFileShares }) => console.log(openFileShares({ renders: 6, connectionsEach: 256 })))";
  const { stdout, stderr } = spawnSync('sh', [
    '-c',
    'ulimit -n 1024; exec "$0" -e "$1"',
    process.execPath,
    script,
  ]);
  assert.match(
    stdout.toString(),
    /clients: 192, perRender: 32, enough: 19328, openFiles: 1024/,
    stderr.toString(),
  );
});
