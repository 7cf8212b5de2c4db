// Uploads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountRow, uploadRow } from './rows.ts';
import { same, type SuiteContext } from './context.ts';

export function uploadsSuite({ database, openEmpty, newAccount }: SuiteContext): void {
  test('uploads: found by slug and id with the owner, a taken slug is told', async () => {
    const account = await newAccount({ suspended: 1 });
    const row = uploadRow(account.id, { expires_at: 1_763_187_654_321 });
    assert.equal(await database().tables.uploads.insert(row), true);
    same(await database().tables.uploads.bySlug(row.slug), { ...row, owner_suspended: 1 });
    same(await database().tables.uploads.byId(row.id), { ...row, owner_suspended: 1 });
    assert.equal(await database().tables.uploads.insert(uploadRow(account.id, { slug: row.slug })), false);
    assert.equal(await database().tables.uploads.bySlug('unknown'), undefined);
  });

  test('uploads: of many that delete one, one has done it', async () => {
    const account = await newAccount();
    const row = uploadRow(account.id);
    await database().tables.uploads.insert(row);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => database().tables.uploads.markDeleted(row.id, 1_000 + index)),
    );
    assert.equal(outcomes.filter(Boolean).length, 1);
  });

  test('uploads: the dead are the deleted and the expired, in batches, until purged', async () => {
    const other = await openEmpty();
    try {
      const account = accountRow();
      await other.tables.accounts.insert(account);
      const alive = [uploadRow(account.id), uploadRow(account.id, { expires_at: 10_001 })];
      const dead = [
        uploadRow(account.id, { expires_at: 10_000 }),
        uploadRow(account.id, { deleted_at: 5 }),
        uploadRow(account.id, { deleted_at: 5, expires_at: 9 }),
      ];
      for (const row of [...alive, ...dead]) await other.tables.uploads.insert(row);
      const found = await other.tables.uploads.dead(10_000, 100);
      assert.deepEqual(found.toSorted(), dead.map(({ id }) => id).toSorted());
      assert.equal((await other.tables.uploads.dead(10_000, 2)).length, 2);
      await other.tables.uploads.purge(found);
      same(await other.tables.uploads.dead(10_000, 100), []);
      same(
        await other.tables.uploads.existing([...alive, ...dead].map(({ id }) => id)),
        new Set(alive.map(({ id }) => id)),
      );
    } finally {
      await other.close();
    }
  });
}
