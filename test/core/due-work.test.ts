// Work that is due is begun by one look at a time, and nothing that became due during a look is missed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDueWork } from '#core/due-work.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Has two places. A look sees what is queued when it begins. */
function start(queued: string[]) {
  const running = new Map<string, () => void>();
  const begun: string[] = [];
  let [looks, most] = [0, 0];
  const due = createDueWork(async () => {
    looks += 1;
    most = Math.max(most, looks);
    const name = due.count() < 2 ? queued.shift() : undefined;
    await new Promise(setImmediate);
    looks -= 1;
    if (name === undefined) return undefined;
    begun.push(name);
    return () => new Promise<void>((resolve) => running.set(name, resolve));
  });
  return { due, running, begun, most: () => most };
}

test('a look begins what there is room for, one look at a time, and the end of a piece of work makes a look', async () => {
  const { due, running, begun, most } = start(['a', 'b', 'c']);
  await Promise.all([due.beginDue(), due.beginDue()]);
  assert.deepEqual(begun, ['a', 'b']);
  running.get('a')!();
  await waitFor('the third to begin', () => begun.length === 3);
  assert.equal(most(), 1);
  for (const end of running.values()) end();
  await due.ended();
  assert.equal(due.count(), 0);
});

test('what becomes due during a look is begun by the next, which follows at once', async () => {
  const queued: string[] = [];
  const { due, running, begun } = start(queued);
  const looking = due.beginDue();
  queued.push('late');
  due.wake();
  await looking;
  assert.deepEqual(begun, ['late']);
  running.get('late')!();
  await due.ended();
});

test('a look that fails is told to who asked for it, and the next one begins anew', async () => {
  const outcomes = [new Error('the database is away'), undefined];
  let ran = 0;
  const due = createDueWork(async () => {
    if (ran > 0) return undefined;
    const error = outcomes.shift();
    if (error) throw error;
    return async () => void (ran += 1);
  });
  await assert.rejects(due.beginDue(), /away/);
  await due.beginDue();
  await due.ended();
  assert.equal(ran, 1);
});
