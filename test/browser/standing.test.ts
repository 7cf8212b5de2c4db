// What is remembered of each account: blame, renders that run at once, and whether others render too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStanding } from '#browser/standing.ts';

function standingAt() {
  const time = { now: 1_000_000 };
  return { time, standing: createStanding(() => time.now) };
}

test('blame lasts two minutes, and only for that account', () => {
  const { standing, time } = standingAt();
  standing.blame('a');
  assert.deepEqual([standing.isSuspect('a'), standing.isSuspect('b')], [true, false]);
  time.now += 2 * 60_000;
  assert.equal(standing.isSuspect('a'), false);
});

test('an account with two renders at once is crowding, until one of them ends', () => {
  const { standing } = standingAt();
  standing.begin('a');
  standing.begin('b');
  assert.equal(standing.isCrowding('a'), false);
  const end = standing.begin('a');
  assert.deepEqual([standing.isCrowding('a'), standing.isCrowding('b')], [true, false]);
  end();
  assert.equal(standing.isCrowding('a'), false);
});

test('an account has neighbours for a minute after the last render of any other', () => {
  const { standing, time } = standingAt();
  standing.begin('a');
  standing.begin('a');
  assert.equal(standing.hasNeighbours('a'), false, 'it is alone');
  assert.equal(standing.hasNeighbours('b'), true);
  standing.begin('b');
  standing.begin('a');
  assert.deepEqual([standing.hasNeighbours('a'), standing.hasNeighbours('b')], [true, true]);
  time.now += 60_000;
  standing.begin('a');
  assert.deepEqual([standing.hasNeighbours('a'), standing.hasNeighbours('b')], [false, true]);
});
