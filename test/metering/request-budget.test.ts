// The windows of the request budget in memory: bounded in number, dropped one by one, never longer than a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestBudget, standingOf } from '#metering/request-budget.ts';
import { createTestClock } from '#test/support/clock.ts';

test('many client addresses take bounded memory, and each costs the same when older ones are dropped', () => {
  const clock = createTestClock();
  const budget = createRequestBudget({ clock, maxSubjects: 50_000 });
  const cpuMsOf = (first: number) => {
    const before = process.cpuUsage();
    for (let subject = first; subject < first + 50_000; subject += 1) budget.spend(`address ${subject}`, 600);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const [filling = 0, ...dropping] = [0, 50_000, 100_000, 150_000].map(cpuMsOf);
  assert.equal(budget.size(), 50_000);
  assert.ok(Math.max(...dropping) < 10 * filling, `${filling} ms, then ${dropping.join(', ')}`);
  assert.equal(budget.peek('address 199999', 600).remaining, 599, 'the newest are kept');
});

test('ended windows are dropped, two for each new one', async () => {
  const clock = createTestClock();
  const budget = createRequestBudget({ clock });
  for (let subject = 0; subject < 1_000; subject += 1) budget.spend(`early ${subject}`, 10);
  await clock.advance(60_001);
  for (let subject = 0; subject < 1_000; subject += 1) budget.spend(`late ${subject}`, 10);
  assert.equal(budget.size(), 1_000);
});

test('a window that reopens is not dropped at its old position', async () => {
  const clock = createTestClock();
  const budget = createRequestBudget({ clock, maxSubjects: 2 });
  budget.spend('a', 10);
  budget.spend('b', 10);
  await clock.advance(60_001);
  budget.spend('a', 10);
  budget.spend('c', 10);
  assert.equal(budget.peek('a', 10).remaining, 9);
});

test('a small correction of the clock does not open a new window; one that was set back an hour does', async () => {
  const clock = createTestClock(Date.now());
  const budget = createRequestBudget({ clock });
  budget.spend('a', 10);
  await clock.advance(-3);
  assert.deepEqual([budget.spend('a', 10).remaining, budget.peek('a', 10).resetSeconds], [8, 60]);
  await clock.advance(-3_600_000);
  assert.equal(budget.spend('a', 10).remaining, 9);
});

test("8 the reset is at most 60, whatever another machine's clock says", () => {
  for (const [endsInMs, expected] of [
    [60_009, 60],
    [60_000, 60],
    [59_999, 60],
    [1, 1],
    [-5, 1],
  ] as const) {
    assert.equal(standingOf({ endsAt: endsInMs, count: 1 }, 10, 0, false).resetSeconds, expected);
  }
});
