// Accounts and their keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '#core/ids.ts';
import { accountRow, keyRow } from './rows.ts';
import { same, type SuiteContext } from './context.ts';

export function accountsSuite({ database, openEmpty, newAccount }: SuiteContext): void {
  test('accounts: every column comes back as it was written', async () => {
    const row = await newAccount({ plan: 'pro', overages: 1, created_at: 1_763_187_654_321 });
    same(await database().tables.accounts.byEmail(row.email), row);
    assert.equal(await database().tables.accounts.byEmail('nobody@example.com'), undefined);
  });

  test('accounts: an e-mail address is taken once', async () => {
    const row = await newAccount();
    assert.equal(await database().tables.accounts.insert(accountRow({ email: row.email })), false);
    assert.equal((await database().tables.accounts.byEmail(row.email))?.id, row.id);
  });

  test('accounts: an update changes what it names and returns the whole row', async () => {
    const row = await newAccount();
    const changed = await database().tables.accounts.update(row.id, { plan: 'starter', suspended: 1 });
    same(changed, { ...row, plan: 'starter', suspended: 1 });
    assert.equal(await database().tables.accounts.update('unknown', { plan: 'pro' }), undefined);
  });

  test('accounts: listed in order of making; emptiness is told', async () => {
    const other = await openEmpty();
    try {
      assert.equal(await other.tables.accounts.isEmpty(), true);
      const [late, early] = [accountRow({ created_at: 2_000 }), accountRow({ created_at: 1_000 })];
      for (const row of [late, early]) await other.tables.accounts.insert(row);
      same(await other.tables.accounts.list(), [early, late]);
      assert.equal(await other.tables.accounts.isEmpty(), false);
    } finally {
      await other.close();
    }
  });

  test('keys: the holder is found by hash, with what the account may do', async () => {
    const account = await newAccount({ plan: 'business', overages: 1 });
    const key = keyRow(account.id);
    await database().tables.apiKeys.insert(key);
    same(await database().tables.apiKeys.holderOf(key.key_hash), {
      id: key.id,
      account_id: account.id,
      revoked_at: null,
      plan: 'business',
      verified: 1,
      suspended: 0,
      overages: 1,
    });
    assert.equal(await database().tables.apiKeys.holderOf(hashSecret('another')), undefined);
  });

  test('keys: the first revocation stays, and shows in the holder', async () => {
    const account = await newAccount();
    const key = keyRow(account.id);
    await database().tables.apiKeys.insert(key);
    assert.equal((await database().tables.apiKeys.revoke(key.id, 5_000))?.revoked_at, 5_000);
    assert.equal((await database().tables.apiKeys.revoke(key.id, 9_000))?.revoked_at, 5_000);
    assert.equal((await database().tables.apiKeys.holderOf(key.key_hash))?.revoked_at, 5_000);
    assert.equal(await database().tables.apiKeys.revoke('unknown', 1), undefined);
  });

  test('keys: listed by account, touched together', async () => {
    const account = await newAccount();
    const keys = [keyRow(account.id, { created_at: 1 }), keyRow(account.id, { created_at: 2 })];
    for (const key of keys) await database().tables.apiKeys.insert(key);
    await database().tables.apiKeys.touch(
      keys.map(({ id }) => id),
      7_000,
    );
    same(
      await database().tables.apiKeys.listOf(account.id),
      keys.map((key) => ({ ...key, last_used_at: 7_000 })),
    );
  });

  test('keys: a key of no account is refused', async () => {
    await assert.rejects(database().tables.apiKeys.insert(keyRow('nobody')), /foreign key/i);
  });
}
