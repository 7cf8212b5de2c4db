// The line for the machine's own capacity: never more at once than it holds, fair between accounts, bounded in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRenderQueue } from '#renders/render-queue.ts';

const never = new AbortController().signal;

test('never more renders at once than the machine holds', async () => {
  const queue = createRenderQueue({ concurrency: 3, maxWaitMs: 60_000 });
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const leave = await queue.enter(`account ${index % 7}`, never);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      leave();
    }),
  );
  assert.equal(most, 3);
  assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
});

test('accounts take turns: one with many waiting renders does not starve one with few', async () => {
  const queue = createRenderQueue({ concurrency: 1, maxWaitMs: 60_000 });
  const order: string[] = [];
  const leaveFirst = await queue.enter('busy', never);
  const waiting = ['busy', 'busy', 'busy', 'busy', 'quiet', 'other'].map(async (account) => {
    const leave = await queue.enter(account, never);
    order.push(account);
    leave();
  });
  leaveFirst();
  await Promise.all(waiting);
  assert.ok(order.indexOf('quiet') <= 2 && order.indexOf('other') <= 3, order.join(', '));
});

test('who waits too long is told concurrency_limited, and leaves the line', async () => {
  const queue = createRenderQueue({ concurrency: 1, maxWaitMs: 20 });
  const leave = await queue.enter('a', never);
  await assert.rejects(queue.enter('b', never), { code: 'concurrency_limited' });
  assert.deepEqual(queue.load(), { running: 1, waiting: 0 });
  leave();
  (await queue.enter('b', never))();
});

test('who hangs up leaves the line, and leaving twice counts once', async () => {
  const queue = createRenderQueue({ concurrency: 1, maxWaitMs: 60_000 });
  const leave = await queue.enter('a', never);
  const hangUp = new AbortController();
  const waiting = queue.enter('b', hangUp.signal);
  hangUp.abort(new Error('gone'));
  await assert.rejects(waiting, { message: 'gone' });
  leave();
  leave();
  assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
});
