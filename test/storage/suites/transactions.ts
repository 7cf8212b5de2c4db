// Transactions, and what other processes see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountRow, eventRow, uploadRow } from './rows.ts';
import { same, type SuiteContext } from './context.ts';

const month = '2026-11';

export function transactionsSuite({ database, openAgain, newAccount }: SuiteContext): void {
  test('a transaction that throws leaves nothing behind', async () => {
    const account = await newAccount();
    const row = uploadRow(account.id);
    const counter = { accountId: account.id, unit: 'upload', month } as const;
    await assert.rejects(
      database().transaction(async (tables) => {
        await tables.usage.take(counter, 9, 9);
        await tables.usage.record(eventRow(account.id, month));
        await tables.uploads.insert(row);
        throw new Error('half-way');
      }),
      /half-way/,
    );
    assert.equal(await database().tables.uploads.byId(row.id), undefined);
    assert.equal((await database().tables.usage.read(counter)).used, 0);
    assert.equal((await database().tables.usage.sumOfLedger(counter)).used, 0);
  });

  test('what a transaction has not committed, nobody else sees', async () => {
    const row = accountRow();
    const second = await openAgain();
    try {
      await database().transaction(async (tables) => {
        await tables.accounts.insert(row);
        assert.equal(await second.tables.accounts.byEmail(row.email), undefined);
      });
      same(await second.tables.accounts.byEmail(row.email), row);
    } finally {
      await second.close();
    }
  });

  test('a change by another process shows in the stamp, or there is no stamp to trust', async () => {
    const second = await openAgain();
    try {
      const before = database().changeStamp();
      await second.tables.accounts.insert(accountRow());
      if (before === undefined) assert.equal(database().changeStamp(), undefined);
      else assert.notEqual(database().changeStamp(), before);
    } finally {
      await second.close();
    }
  });
}
