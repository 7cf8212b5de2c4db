// What every database engine must do, told once and run on each.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database } from '#storage/database.ts';
import { databaseEngines, type TestEngine } from '../support/database-engines.ts';
import { accountsSuite } from './suites/accounts.ts';
import type { SuiteContext } from './suites/context.ts';
import { rendersSuite } from './suites/renders.ts';
import { accountRow } from './suites/rows.ts';
import { transactionsSuite } from './suites/transactions.ts';
import { uploadsSuite } from './suites/uploads.ts';
import { usageSuite } from './suites/usage.ts';

for (const [name, start] of Object.entries(databaseEngines)) {
  describe(name, () => {
    let engine: TestEngine;
    let address: string;
    let database: Database;

    before(async () => {
      engine = await start();
      address = await engine.newDatabase();
      database = await engine.open(address);
    });
    after(async () => {
      await database?.close();
      await engine?.stop();
    });

    const context: SuiteContext = {
      database: () => database,
      openAgain: () => engine.open(address),
      openEmpty: async () => engine.open(await engine.newDatabase()),
      async newAccount(change = {}) {
        const row = accountRow(change);
        assert.equal(await database.tables.accounts.insert(row), true);
        return row;
      },
    };

    test('says which engine it is, and answers', async () => {
      assert.equal(database.engine, name);
      await database.ping();
    });
    accountsSuite(context);
    uploadsSuite(context);
    usageSuite(context);
    rendersSuite(context);
    transactionsSuite(context);
  });
}
