// Counters and the ledger behind them: exact, whoever takes at the same time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { same, type SuiteContext } from './context.ts';
import { eventRow } from './rows.ts';

const month = '2026-11';

export function usageSuite({ database, newAccount }: SuiteContext): void {
  async function newCounter(unit: 'upload' | 'render' = 'upload') {
    return { accountId: (await newAccount()).id, unit, month };
  }

  test('usage: 200 takers at once with 50 left get exactly 50', async () => {
    const counter = await newCounter();
    const taken = await Promise.all(
      Array.from({ length: 200 }, () =>
        database().transaction(async (tables) => {
          const usage = await tables.usage.take(counter, 50, 50);
          if (usage) await tables.usage.record(eventRow(counter.accountId, month));
          return usage;
        }),
      ),
    );
    assert.deepEqual(
      taken.flatMap((usage) => usage?.used ?? []).toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    same(await database().tables.usage.read(counter), { used: 50, overage: 0 });
    same(await database().tables.usage.sumOfLedger(counter), { used: 50, overage: 0 });
  });

  test('usage: the first takers of a month all get their unit', async () => {
    const counter = await newCounter();
    const taken = await Promise.all(
      Array.from({ length: 20 }, () =>
        database().transaction((tables) => tables.usage.take(counter, 20, 20)),
      ),
    );
    assert.equal(taken.filter((usage) => usage !== undefined).length, 20);
  });

  test('usage: past the limit the counter goes on where it may, and tells overages apart', async () => {
    const counter = await newCounter('render');
    const { usage } = database().tables;
    same(await usage.take(counter, 1, Infinity), { used: 1, overage: 0 });
    same(await usage.take(counter, 1, Infinity), { used: 2, overage: 1 });
    same(await usage.take({ ...counter, month: '2026-12' }, 1, Infinity), { used: 1, overage: 0 });
    same(await usage.read({ ...counter, unit: 'upload' }), { used: 0, overage: 0 });
    same(await usage.sumOfLedger(counter), { used: 0, overage: 0 });
  });

  test('usage: a limit of nothing gives nothing', async () => {
    assert.equal(await database().tables.usage.take(await newCounter(), 0, 0), undefined);
  });

  test('usage: one source is paid for once', async () => {
    const counter = await newCounter();
    const event = eventRow(counter.accountId, month, 1);
    await database().tables.usage.record(event);
    await assert.rejects(database().tables.usage.record({ ...event, id: 'another' }), /unique/i);
    same(await database().tables.usage.sumOfLedger(counter), { used: 1, overage: 1 });
  });

  test('usage: a locked counter makes 60 parallel renders with 3 slots hold exactly 3', async () => {
    const counter = await newCounter('render');
    const held = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        database().transaction(async ({ usage, renderLeases }) => {
          await usage.lock(counter);
          if ((await renderLeases.countLive(counter.accountId, 1_000)) >= 3) return false;
          await renderLeases.insert({
            id: `${counter.accountId}-${index}`,
            account_id: counter.accountId,
            expires_at: 2_000,
          });
          return true;
        }),
      ),
    );
    assert.equal(held.filter(Boolean).length, 3);
    assert.equal(await database().tables.renderLeases.countLive(counter.accountId, 1_000), 3);
  });
}
