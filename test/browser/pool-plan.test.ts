// What the pool does next, moment by moment: plan() is a function, so each case is a state and what follows from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan, type Member } from '#browser/pool-plan.ts';
import type { Worker } from '#browser/worker/worker.ts';

const minute = 60_000;
const now = 60 * minute;

function member(given: Partial<Member> & { running?: number; undiscarded?: number } = {}): Member {
  const { running = 0, undiscarded = running, ...rest } = given;
  const worker = { running, undiscarded } as Worker;
  return {
    worker,
    account: 'a',
    users: undiscarded,
    idleSince: now,
    isReplaced: false,
    isRetired: false,
    ...rest,
  };
}

/** With names for the members: their indices. */
function next(
  members: Member[],
  accounts = '',
  limits: { starts?: number; places?: number; restAfterMs?: number } = {},
) {
  const waiting = new Set(Array.from(accounts, (account) => ({ account })));
  const state = { starts: 0, places: 4, endAfterMs: 5 * minute, restAfterMs: Infinity, ...limits };
  const { given, missing, retired, unused, isRest } = plan(
    { members: new Set(members), waiting, ...state },
    now,
  );
  const names = (found: Iterable<Member>) => Array.from(found, (one) => members.indexOf(one));
  const pairs = Array.from(given, ([{ account }, one]) => `${account}${members.indexOf(one)}`).join(' ');
  return {
    given: pairs,
    missing: Math.max(0, missing),
    retired: names(retired),
    unused: names(unused),
    isRest,
  };
}

const nothing = { given: '', missing: 0, retired: [], unused: [], isRest: false };

test('a render gets the worker of its account, else a new one, else the one used last; accounts without one get a start each', () => {
  const busy = member({ running: 1 });
  const cold = member({ account: 'b', idleSince: now - 2 * minute });
  const warm = member({ account: 'c', idleSince: now - minute });
  const unused = member({ account: undefined, idleSince: now - minute });
  assert.deepEqual(next([busy, cold, warm, unused], 'adbef', { places: 6 }), {
    ...nothing,
    given: 'a0 d3 b1 e2',
    missing: 1,
  });
  assert.deepEqual(next([busy], 'bbccd', { starts: 1 }), { ...nothing, missing: 2 });
  assert.deepEqual(next([busy], 'bbccd', { places: 2 }), { ...nothing, missing: 1 });
  assert.deepEqual(next([member({ undiscarded: 1 })], 'b'), nothing, 'it is idle before another has started');
});

test('a worker given to another account is not given to its last one at the same moment', () => {
  assert.deepEqual(next([member()], 'ba', { places: 1 }), { ...nothing, given: 'b0' });
});

test('a retired worker takes no render, and ends when each of its own has begun and has its result', () => {
  const isRetired = true;
  assert.deepEqual(next([member({ isRetired, running: 1 })], 'a'), { ...nothing, missing: 1 });
  assert.deepEqual(next([member({ isRetired, undiscarded: 1 })]), { ...nothing, retired: [0] });
  assert.deepEqual(next([member({ isRetired, users: 1 })]), nothing, 'its render has not begun');
  assert.deepEqual(next([member({ isRetired })], 'b', { places: 1 }), {
    ...nothing,
    missing: 1,
    retired: [0],
  });
});

test('idle workers end after their time, the one used last only when it may rest, and not while another starts', () => {
  const old = member({ idleSince: now - 20 * minute });
  const older = member({ account: 'b', idleSince: now - 30 * minute });
  const busy = member({ account: 'c', running: 1 });
  assert.deepEqual(next([old, older]), { ...nothing, unused: [1] });
  assert.deepEqual(next([old, busy]), nothing);
  assert.deepEqual(next([old], '', { restAfterMs: 20 * minute }), { ...nothing, unused: [0], isRest: true });
  assert.deepEqual(next([old], '', { restAfterMs: 20 * minute, starts: 1 }), nothing);
});
