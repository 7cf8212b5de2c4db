// The queue for the machine's render capacity; what every fair queue does is tested in core/fair-queue.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRenderQueue } from '#renders/render-queue.ts';
import { createTestClock } from '#test/support/clock.ts';

test('4.3 a render that waits too long gets concurrency_limited', async () => {
  const clock = createTestClock();
  const queue = createRenderQueue({ clock, concurrency: 1, maxWaitMs: 30_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = queue.run('a', () => promise);
  const waiting = queue.run('b', async () => {});
  await Promise.all([assert.rejects(waiting, { code: 'concurrency_limited' }), clock.advance(30_000)]);
  resolve();
  await running;
});

test('one account can hold all slots, others have a third as many of their own, and the total is a hard limit', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const queue = createRenderQueue({ clock: createTestClock(), concurrency: 6, maxWaitMs: 60_000 });
  const run = (account: string, count: number) =>
    Array.from({ length: count }, () => queue.run(account, () => promise));
  const renders = run('busy', 10);
  assert.deepEqual(queue.load(), { running: 6, waiting: 4 });
  renders.push(...run('second', 2), ...run('third', 1), ...run('fourth', 1));
  assert.deepEqual(queue.load(), { running: 8, waiting: 6 });
  resolve();
  await Promise.all(renders);
});
