// Groups take turns, then the members of each: how many members a group has does not matter to the others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNestedQueue } from '#core/nested-queue.ts';
import { createTestClock } from '#test/support/clock.ts';

const tooLong = () => new Error('too long');
const clock = createTestClock();
const options = { clock, concurrency: 1, maxWaitMs: 60_000, maxWaiting: 10, tooLong };

test('a group with many members gets one turn for each of the other groups', async () => {
  const queue = createNestedQueue(options);
  const order: string[] = [];
  const enter = (...path: string[]) => queue.run(path, async () => void order.push(path.join('/')));
  const members = Array.from({ length: 6 }, (_, index) => String(index));
  await Promise.all([
    ...members.map((member) => enter('large', member)),
    ...members.map((member) => enter('large', member)),
    enter('small', 'a'),
    enter('other', 'b', 'deeper'),
    enter('alone'),
  ]);
  assert.equal(order.length, 15);
  assert.equal(order.slice(0, 6).filter((path) => !path.startsWith('large')).length, 3, order.join(' '));
  // Inside the group each member has its first turn before anyone has a second.
  const large = order.filter((path) => path.startsWith('large'));
  assert.equal(new Set(large.slice(0, 6)).size, 6, large.join(' '));
});

test('the wait is bounded for the whole path, and a full line refuses only its own member', async () => {
  const queue = createNestedQueue({ ...options, maxWaiting: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const first = queue.run(['a', 'b'], () => {
    started.resolve();
    return promise;
  });
  await started.promise;
  const waiting = [queue.run(['a', 'b'], async () => {}), queue.run(['a', 'b'], async () => {})];
  const results = Promise.allSettled(waiting);
  await clock.advance(60_000);
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const other = queue.run(['c'], async () => {});
  await Promise.all([assert.rejects(other, /too long/), clock.advance(60_000)]);
  resolve();
  await first;
  assert.equal(await queue.run(['a', 'b'], async () => 'runs'), 'runs');
});

test('a job that fails gives its turn to the next', async () => {
  const queue = createNestedQueue(options);
  const failed = queue.run(['a', 'b'], () => Promise.reject(new Error('no')));
  const next = queue.run(['a', 'c'], async () => 'next');
  await assert.rejects(failed, /no/);
  assert.equal(await next, 'next');
});

test('a job whose signal is aborted leaves the line, wherever in it it waits', async () => {
  const queue = createNestedQueue(options);
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const first = queue.run(['a', 'b'], () => {
    started.resolve();
    return promise;
  });
  await started.promise;
  const gone = new AbortController();
  let isRun = false;
  const work = async (): Promise<void> => void (isRun = true);
  const waiting = [
    queue.run(['a', 'b'], work, { signal: gone.signal }),
    queue.run(['a', 'c'], work, { signal: gone.signal }),
    queue.run(['d'], work, { signal: gone.signal }),
  ];
  assert.deepEqual(queue.load(), { running: 1, waiting: 3 });
  gone.abort(new Error('gone'));
  for (const result of await Promise.allSettled(waiting)) assert.equal(result.status, 'rejected');
  assert.deepEqual(queue.load(), { running: 1, waiting: 0 });
  resolve();
  await first;
  assert.equal(isRun, false);
});
