// How to wait for time: the real clock does, and that of the tests only if it is moved.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { every, inTime, sleep, systemClock } from '#core/clock.ts';
import { createTestClock } from '#test/support/clock.ts';

test('the clock of the machine runs, and a canceled timer does not', async () => {
  const cancel = systemClock.after(0, () => assert.fail('ran'));
  cancel();
  const before = Date.now();
  const keepsProcessAlive = setInterval(() => {}, 60_000);
  await sleep(systemClock, 2);
  clearInterval(keepsProcessAlive);
  assert.ok(systemClock.now() >= before);
});

describe('a clock that a test moves', () => {
  test('stands still, and runs what is due in its order', async () => {
    const clock = createTestClock(1_000);
    const ran: string[] = [];
    clock.after(20, () => void ran.push(`second at ${clock.now()}`));
    clock.after(10, () => void ran.push(`first at ${clock.now()}`));
    clock.after(31, () => void ran.push('late'));
    const cancel = clock.after(15, () => assert.fail('ran'));
    clock.after(5, cancel);
    await clock.advance(4);
    assert.deepEqual([clock.now(), clock.waits(), ran], [1_004, [1, 6, 11, 16, 27], []]);
    await clock.advance(26);
    assert.deepEqual(ran, ['first at 1030', 'second at 1030']);
    assert.deepEqual(clock.waits(), [1]);
  });

  test('waits for the work of its timers', async () => {
    const clock = createTestClock();
    const { promise, resolve } = Promise.withResolvers<void>();
    let isDone = false;
    clock.after(1, () => promise);
    const advanced = clock.advance(1).then(() => (isDone = true));
    await new Promise(setImmediate);
    assert.equal(isDone, false);
    resolve();
    await advanced;
  });

  test('makes no timer wait longer when it is set back', async () => {
    const clock = createTestClock(1_000);
    let runs = 0;
    clock.after(10, () => void (runs += 1));
    await clock.advance(-500);
    assert.deepEqual([clock.now(), clock.waits(), runs], [500, [10], 0]);
    await clock.advance(10);
    assert.equal(runs, 1);
  });
});

test('what is repeated runs once after hours, and not after it was canceled', async () => {
  const clock = createTestClock();
  let runs = 0;
  const cancel = every(clock, 1_000, () => void (runs += 1));
  await clock.advance(1_000);
  await clock.advance(3_600_000);
  assert.equal(runs, 2);
  await clock.advance(999);
  assert.equal(runs, 2);
  cancel();
  await clock.advance(1);
  assert.deepEqual([runs, clock.waits()], [2, []]);
});

test('a sleep ends with its time or with its signal, and leaves no timer', async () => {
  const clock = createTestClock();
  const hangUp = new AbortController();
  const sleeps = [sleep(clock, 10), sleep(clock, 10, hangUp.signal), sleep(clock, 20, hangUp.signal)];
  await clock.advance(10);
  await Promise.all(sleeps.slice(0, 2));
  hangUp.abort(new Error('gone'));
  await assert.rejects(sleeps[2]!, { message: 'gone' });
  await assert.rejects(sleep(clock, 10, hangUp.signal), { message: 'gone' });
  assert.deepEqual(clock.waits(), []);
});

test('work that is not done in time is not waited for', async () => {
  const clock = createTestClock();
  assert.equal(await inTime(clock, 2_000, Promise.resolve('done')), 'done');
  assert.deepEqual(clock.waits(), []);
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = inTime(clock, 2_000, promise);
  await Promise.all([assert.rejects(answer, { message: 'no answer within 2 s' }), clock.advance(2_000)]);
  resolve();
});
