// Machines that share a database use its clock: a machine whose own clock is wrong still sees the others' leases correctly.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { systemClock } from '#core/clock.ts';
import { clockOf, createDatabaseClock } from '#storage/database-clock.ts';
import type { Database } from '#storage/database.ts';
import { callerFor } from '#accounts/authenticate.ts';
import { createPlans } from '#accounts/plans.ts';
import { createCaptureSlots } from '#metering/capture-slots.ts';
import { allDatabaseEngines } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';

const minute = 60_000;

test('a machine whose clock is five minutes ahead or behind respects the capture cap', async (context) => {
  const postgres = allDatabaseEngines.find(({ name }) => name === 'postgres');
  assert.ok(postgres);
  const opened = await postgres.open();
  context.after(opened.close);
  // The free plan allows one capture at a time.
  const account = accountRow({ plan: 'free' });
  await opened.database.tables.accounts.insert(account);
  const payer = callerFor({ ...account, account_id: account.id, stored_plan: null }, null, createPlans());
  const slotsOf = (database: Database) =>
    createCaptureSlots({ database, clock: clockOf(database, systemClock) });
  const { leaseId } = await slotsOf(opened.database).acquire(payer, 1);

  for (const aheadMs of [5 * minute, -5 * minute]) {
    await withClockAhead(aheadMs, async () => {
      const slots = slotsOf(await opened.openAnother());
      await assert.rejects(slots.acquire(payer, 1), { code: 'concurrency_limited' });
      await slots.sweep();
      await assert.rejects(slots.acquire(payer, 1), { code: 'concurrency_limited' });
    });
  }
  await slotsOf(opened.database).release(leaseId);
  await slotsOf(opened.database).acquire(payer, 1);
});

test('changing the machine clock while the service runs does not change the database time', async (context) => {
  const opened = await allDatabaseEngines.find(({ name }) => name === 'postgres')!.open();
  context.after(opened.close);
  const clock = clockOf(opened.database, systemClock);
  const before = clock.now();
  const after = await withClockAhead(60 * minute, async () => clock.now());
  // An estimate, which may step back by a millisecond.
  assert.ok(Math.abs(after - before) < minute, `${after - before} ms later`);
});

test('a slow answer of the database does not set its time back; a clock that was changed does', () => {
  const clock = createDatabaseClock();
  const aheadMs = (measure: () => void) => {
    measure();
    return clock.aheadMs();
  };
  const databaseNow = Date.now() + minute;
  // oxlint-disable-next-line tests/no-durations -- what the estimate is made from
  const at = performance.now();
  const first = aheadMs(() => clock.measured(databaseNow, at - 1, at + 1));
  assert.ok(Math.abs(first - minute) < 1_000, `${first} ms ahead`);
  // Read at the start of a round trip of half a second, so the middle of it is wrong by a quarter.
  const slow = aheadMs(() => clock.measured(databaseNow, at, at + 500));
  assert.ok(Math.abs(slow - first) <= 1, `${slow - first} ms changed`);
  const changed = aheadMs(() => clock.measured(databaseNow - minute, at - 1, at + 1));
  assert.ok(Math.abs(changed - first + minute) <= 1, `${changed - first} ms changed`);
});

async function withClockAhead<T>(aheadMs: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now.bind(Date);
  const wrong = mock.method(Date, 'now', () => now() + aheadMs);
  try {
    return await work();
  } finally {
    wrong.mock.restore();
  }
}
