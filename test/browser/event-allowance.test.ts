// How many events of one page are read: a burst and a rate, and none after that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventAllowance, isEvent, sessionOf } from '#browser/process/event-allowance.ts';

test('a burst is read, and what comes at a moderate rate; a flood is told once and read no further', () => {
  let now = 0;
  let told = 0;
  const allowance = createEventAllowance(() => now);
  allowance.onSpent(() => (told += 1));
  const spend = (count: number) =>
    Array.from({ length: count }, () => allowance.spend()).filter(Boolean).length;
  assert.equal(spend(15_000), 15_000);
  for (let second = 1; second <= 60; second += 1) {
    now = second * 1_000;
    assert.equal(spend(1_900), 1_900);
  }
  assert.equal(told, 0);
  assert.ok(spend(100_000) < 20_000);
  assert.equal(told, 1);
  now += 60_000;
  assert.equal(spend(10), 0);
});

test('events are told from answers, and their session is read, without parsing them', () => {
  const id = '0123456789ABCDEF0123456789ABCDEF';
  const event = `{"method":"Page.windowOpen","params":{"url":"x"},"sessionId":"${id}"}`;
  assert.equal(isEvent(event), true);
  assert.equal(sessionOf(event), id);
  assert.equal(isEvent(`{"id":7,"result":{},"sessionId":"${id}"}`), false);
});
