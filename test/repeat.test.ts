// Chores at intervals: never twice at once, and once for all the times that have passed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#roof/log.ts';
import { repeat } from '#roof/repeat.ts';
import { createTestClock } from '#test/support/clock.ts';

const log = createLog('silent');

test('a chore runs at once and then at its interval, once after hours, and an advance waits for it', async () => {
  const clock = createTestClock();
  let done = 0;
  const chore = async () => {
    await new Promise(setImmediate);
    done += 1;
  };
  const { stop } = repeat('a chore', 1_000, chore, { clock, log });
  await clock.advance(999);
  await clock.advance(1);
  assert.equal(done, 2);
  await clock.advance(3_600_000);
  assert.equal(done, 3);
  await stop();
  await clock.advance(3_600_000);
  assert.equal(done, 3);
});

test('one that fails runs again, and one that is still running when it is due runs once more', async () => {
  const clock = createTestClock();
  const runs: PromiseWithResolvers<void>[] = [];
  const chore = () => {
    runs.push(Promise.withResolvers<void>());
    return runs.at(-1)!.promise;
  };
  const { stop } = repeat('a chore', 1_000, chore, { clock, log });
  const advances = [clock.advance(1_000), clock.advance(1_000), clock.advance(1_000)];
  assert.equal(runs.length, 1);
  runs[0]!.reject(new Error('failed'));
  await new Promise(setImmediate);
  assert.equal(runs.length, 2);
  runs[1]!.resolve();
  await Promise.all(advances);
  assert.equal(runs.length, 2);
  await stop();
});
