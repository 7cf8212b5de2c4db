// The model of many machines says what can be reckoned by hand, where that is possible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredCosts, simulate, usualInstallation } from '#lab/bench/model.ts';

test('an idle database: a transaction takes the sum of its steps', () => {
  const costs = { ...measuredCosts, connectMs: 0 };
  const { medianMs } = simulate(
    { ...usualInstallation, machines: 1, uploadsPerSecond: 2, rendersPerSecond: 0, seconds: 20 },
    costs,
  );
  const { roundTripMs, statementMs, admissionMs, syncMs } = costs;
  const steps = 6 * roundTripMs + admissionMs + 5 * statementMs + syncMs;
  assert.ok(Math.abs(medianMs - steps) < 1e-6, `${medianMs} ms, not ${steps}`);
});

test('one account: its counter is the limit, whatever the cores, and lets one transaction through at a time', () => {
  const installation = { ...usualInstallation, machines: 20, accounts: 1, cores: 64, seconds: 3 };
  const few = simulate(installation);
  const many = simulate({ ...installation, cores: 128 });
  assert.ok(few.busy['counter of the largest account'] > 0.95);
  assert.ok(few.donePerSecond < 0.5 * few.offeredPerSecond);
  assert.ok(Math.abs(many.donePerSecond / few.donePerSecond - 1) < 0.05);
});

test('accounts of one size: the cores are the limit, and twice as many do twice as much', () => {
  const installation = { ...usualInstallation, machines: 30, hasLargeAccounts: false, cores: 1, seconds: 4 };
  const few = simulate(installation);
  const more = simulate({ ...installation, cores: 2 });
  assert.ok(few.busy['cores of Postgres'] > 0.95);
  const growth = more.donePerSecond / few.donePerSecond;
  assert.ok(growth > 1.7 && growth < 2.3, `${growth} times`);
});

test('a run can be repeated', () => {
  assert.deepEqual(simulate(usualInstallation), simulate(usualInstallation));
});
