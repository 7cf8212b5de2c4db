// Runs that are shared by everyone who asked before they began.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedRun } from '#core/shared-run.ts';
import { waitFor } from '#lab/support/wait-for.ts';

test('who asks during a run shares the next one, and never the current one', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const ended: string[] = [];
  const ask = createSharedRun(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  const note = (name: string) => ask().then(() => ended.push(name));
  const first = note('first');
  const second = note('second');
  const third = note('third');
  assert.equal(runs.length, 1);
  runs[0]?.resolve();
  await first;
  assert.deepEqual(ended, ['first']);
  await waitFor('the second run', () => runs.length === 2);
  const fourth = note('fourth');
  runs[1]?.resolve();
  await Promise.all([second, third]);
  assert.deepEqual(ended, ['first', 'second', 'third']);
  await waitFor('the third run', () => runs.length === 3);
  runs[2]?.resolve();
  await fourth;
  assert.deepEqual(ended, ['first', 'second', 'third', 'fourth']);
});

test('a failed run fails only those who asked for it', async () => {
  const outcomes = [Promise.reject(new Error('the disk is full')), Promise.resolve(), Promise.resolve()];
  const ask = createSharedRun(() => outcomes.shift() ?? Promise.resolve());
  const [first, second] = [ask(), ask()];
  await assert.rejects(first, /the disk is full/);
  await second;
  await ask();
  assert.equal(outcomes.length, 0);
});
