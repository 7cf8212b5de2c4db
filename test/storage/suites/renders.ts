// Renders, the leases of those in progress, and remembered answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { same, type SuiteContext } from './context.ts';
import { accountRow, claimRow, renderRow } from './rows.ts';

export function rendersSuite({ database, openEmpty, newAccount }: SuiteContext): void {
  test('renders: every column comes back as it was written, with the owner', async () => {
    const account = await newAccount({ suspended: 1 });
    const row = renderRow(account.id, { failure: 'unreachable', expires_at: 1_763_187_654_321 });
    await database().tables.renders.insert(row);
    same(await database().tables.renders.byId(row.id), { ...row, owner_suspended: 1 });
    assert.equal(await database().tables.renders.byId('unknown'), undefined);
    assert.equal(await database().tables.renders.markDeleted(row.id, 5), true);
    assert.equal(await database().tables.renders.markDeleted(row.id, 6), false);
  });

  test('renders: the dead go; what was kept for a replay alone stays in the history', async () => {
    const other = await openEmpty();
    try {
      const account = accountRow();
      await other.tables.accounts.insert(account);
      const fresh = renderRow(account.id, { created_at: 9_000 });
      const replay = renderRow(account.id, { created_at: 9_000, hosted: 0, expires_at: 9_500 });
      const expired = renderRow(account.id, { created_at: 9_000, expires_at: 9_500 });
      const deleted = renderRow(account.id, { created_at: 9_000, deleted_at: 9_100 });
      const old = renderRow(account.id, { created_at: 100, hosted: 0 });
      const all = [fresh, replay, expired, deleted, old];
      for (const row of all) await other.tables.renders.insert(row);
      const dead = await other.tables.renders.dead(10_000, 1_000, 100);
      assert.deepEqual(dead.toSorted(), [replay, expired, deleted, old].map(({ id }) => id).toSorted());
      await other.tables.renders.retire(dead, 1_000);
      assert.deepEqual(
        await other.tables.renders.existing(all.map(({ id }) => id)),
        new Set([fresh.id, replay.id]),
      );
      assert.deepEqual(await other.tables.renders.dead(10_000, 1_000, 100), []);
    } finally {
      await other.close();
    }
  });

  test('leases: they count until they run out or are given back', async () => {
    const { id } = await newAccount();
    const { renderLeases } = database().tables;
    await renderLeases.insert({ id: `${id}-1`, account_id: id, expires_at: 1_000 });
    await renderLeases.insert({ id: `${id}-2`, account_id: id, expires_at: 2_000 });
    assert.equal(await renderLeases.countLive(id, 999), 2);
    assert.equal(await renderLeases.countLive(id, 1_000), 1);
    await renderLeases.purgeExpired(1_000);
    assert.equal(await renderLeases.countLive(id, 0), 1);
    await renderLeases.delete(`${id}-2`);
    assert.equal(await renderLeases.countLive(id, 0), 0);
  });

  test('idempotency: of many claims one may run, and its answer is found', async () => {
    const { id } = await newAccount();
    const { idempotency } = database().tables;
    const claims = Array.from({ length: 10 }, (_, index) => claimRow(id, `${id}-${index}`));
    const claimed = await Promise.all(claims.map((claim) => idempotency.claim(claim)));
    assert.equal(claimed.filter(Boolean).length, 1);
    const winner = claims[claimed.indexOf(true)] as (typeof claims)[number];
    same(await idempotency.find(winner), winner);
    const answer = { status: 201, headers: '{}', body: '{"a":1}', render_id: null };
    await idempotency.answer(winner.attempt, answer);
    same(await idempotency.find(winner), { ...winner, ...answer });
    await idempotency.forget(winner.attempt);
    assert.equal(await idempotency.find(winner), undefined);
    assert.equal(await idempotency.claim(claimRow(id, `${id}-again`)), true);
    await idempotency.purge(winner.created_at + 1);
    assert.equal(await idempotency.find(winner), undefined);
  });
}
