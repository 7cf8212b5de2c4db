// The queue in front of a scarce resource: never more jobs at once than slots, fair between accounts, bounded in every way.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { createFairQueue, type FairQueueOptions } from '#core/fair-queue.ts';
import { createTestClock } from '#test/support/clock.ts';

const clock = createTestClock();

const queueOf = (options: Partial<FairQueueOptions>) =>
  createFairQueue({
    clock,
    concurrency: 1,
    maxWaitMs: 60_000,
    tooLong: () => new Error('too long'),
    tooMany: () => new Error('too many'),
    ...options,
  });

/** A job that runs until the test ends it. */
function gated() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { job: () => promise, end: resolve };
}

test('never more jobs at once than slots', async () => {
  const queue = queueOf({ concurrency: 3 });
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      queue.run(`account ${index % 7}`, async () => {
        running += 1;
        most = Math.max(most, running);
        await nextTurn();
        running -= 1;
      }),
    ),
  );
  assert.equal(most, 3);
  assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
});

test('round-robin: an account with many waiting jobs does not starve one with few', async () => {
  const queue = queueOf({});
  const order: string[] = [];
  const first = gated();
  const jobs = [queue.run('busy', first.job)];
  for (const account of ['busy', 'busy', 'busy', 'busy', 'quiet', 'other'])
    jobs.push(queue.run(account, async () => void order.push(account)));
  first.end();
  await Promise.all(jobs);
  assert.ok(order.indexOf('quiet') <= 2 && order.indexOf('other') <= 3, order.join(', '));
});

test('an account never holds more slots than its limit, and others can use the rest', async () => {
  const queue = queueOf({ concurrency: 2, concurrencyPerAccount: 1 });
  const first = gated();
  const busy = [queue.run('busy', first.job), queue.run('busy', async () => {})];
  assert.deepEqual(queue.load(), { running: 1, waiting: 1 });
  await queue.run('quiet', async () => {});
  first.end();
  await Promise.all(busy);
  assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
});

test('reserved slots are for accounts that run nothing: an account that holds all other slots makes nobody wait', async () => {
  const queue = queueOf({ concurrency: 2, reserved: 1 });
  const endless = gated();
  const busy = Array.from({ length: 4 }, () => queue.run('busy', endless.job));
  assert.deepEqual(queue.load(), { running: 2, waiting: 2 });
  await queue.run('quiet', async () => {});
  const first = gated();
  const quiet = [queue.run('quiet', first.job), queue.run('quiet', async () => {})];
  assert.deepEqual(queue.load(), { running: 3, waiting: 3 }, 'its second job waits');
  endless.end();
  first.end();
  await Promise.all([...busy, ...quiet]);
  assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
});

test('a job that waits too long leaves the queue', async () => {
  const queue = queueOf({});
  const first = gated();
  const running = queue.run('a', first.job);
  const waiting = queue.run('b', async () => {});
  await clock.advance(59_999);
  assert.deepEqual(queue.load(), { running: 1, waiting: 1 });
  await Promise.all([assert.rejects(waiting, { message: 'too long' }), clock.advance(1)]);
  assert.deepEqual(queue.load(), { running: 1, waiting: 0 });
  first.end();
  await running;
  await queue.run('b', async () => {});
});

test('a full queue refuses only its own account, by jobs and by bytes', async () => {
  const queue = queueOf({ maxWaiting: 2, maxWaitingBytes: 100 });
  const first = gated();
  const jobs = [queue.run('a', first.job), queue.run('a', async () => {}), queue.run('a', async () => {})];
  await assert.rejects(
    queue.run('a', async () => {}),
    { message: 'too many' },
  );
  jobs.push(queue.run('b', async () => {}, { bytes: 90 }));
  await assert.rejects(
    queue.run('b', async () => {}, { bytes: 20 }),
    { message: 'too many' },
  );
  jobs.push(queue.run('c', async () => {}, { bytes: 500 }));
  first.end();
  await Promise.all(jobs);
});

test('an aborted job leaves the queue', async () => {
  const queue = queueOf({});
  const first = gated();
  const running = queue.run('a', first.job);
  const hangUp = new AbortController();
  const waiting = queue.run('b', async () => assert.fail('ran'), { signal: hangUp.signal });
  hangUp.abort(new Error('gone'));
  await assert.rejects(waiting, { message: 'gone' });
  first.end();
  await running;
  assert.deepEqual(queue.load(), { running: 0, waiting: 0 });
});

test('a job that fails frees its slot', async () => {
  const queue = queueOf({});
  await assert.rejects(
    queue.run('a', async () => {
      throw new Error('failed');
    }),
    { message: 'failed' },
  );
  assert.equal(await queue.run('a', async () => 'next'), 'next');
});
