// What tests, benchmarks and proofs read about processes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { descendants, treeCpuMs } from '#test/support/process-table.ts';
import { waitFor } from '#test/support/wait-for.ts';

test('the CPU time of an ended child counts before its parent has waited for it', async (context) => {
  // The loop runs in a child, and its parent becomes a program that waits for no child.
  const loop = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done';
  const parent = spawn('sh', ['-c', `(${loop}; echo done) & exec sleep 60`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  context.after(() => parent.kill('SIGKILL'));
  await once(parent.stdout, 'data');
  await waitFor('the child to end', () => descendants(parent.pid).length === 0);
  assert.ok(treeCpuMs(parent.pid!) > 0, `${treeCpuMs(parent.pid!)} ms`);
});
