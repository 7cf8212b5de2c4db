// The semaphore.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from '#core/turns.ts';

test('never more than two run, even if a newcomer arrives the moment a slot becomes free', async () => {
  const inTurn = createTurns(2);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  const first = Array.from({ length: 6 }, () => inTurn(work));
  const newcomers = first.map((done) => done.then(() => inTurn(work)));
  await Promise.all([...first, ...newcomers]);
  assert.deepEqual([running, most], [0, 2]);
});

test('a slot is free again after a task fails, and waiting tasks start in order', async () => {
  const inTurn = createTurns(1);
  const order: number[] = [];
  const failing = inTurn(async () => Promise.reject(new Error('no')));
  const rest = [1, 2, 3].map((name) => inTurn(async () => order.push(name)));
  await assert.rejects(failing, /no/);
  await Promise.all(rest);
  assert.deepEqual(order, [1, 2, 3]);
});
