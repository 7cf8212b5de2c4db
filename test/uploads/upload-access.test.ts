// Views are exact under race on every engine, and passwords are hashed one at a time, with turns for everyone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createUploadAccess } from '#uploads/upload-access.ts';
import { createUploadPasswords } from '#uploads/upload-passwords.ts';
import { createTestClock } from '#test/support/service.ts';
import { databaseEngines } from '#test/storage/engines.ts';
import { accountRow, uploadRow } from '#test/storage/rows.ts';

const passwords = createUploadPasswords({ maxWaiting: 1_000 });

for (const engine of databaseEngines)
  describe(engine.name, () => {
    test('60 visitors at once and 7 views: 7 tickets, and a row that ends with the last of them', async () => {
      const opened = await engine.open();
      try {
        const clock = createTestClock(1_000_000);
        const access = createUploadAccess({ database: opened.database, clock, passwords, secret: 'secret' });
        const { accounts, uploads } = opened.database.tables;
        const account = accountRow();
        await accounts.insert(account);
        const row = uploadRow(account.id, { views_left: 7 });
        await uploads.insert(row);
        const seen = await Promise.all(Array.from({ length: 60 }, () => access.show(row, '', ['a'])));
        assert.equal(seen.filter((shown) => typeof shown === 'object').length, 7);
        assert.equal(seen.filter((shown) => shown === 'gone').length, 53);
        const left = (await uploads.bySlug(row.slug))!;
        assert.deepEqual([left.views_left, left.expires_at], [0, 1_000_000 + 15 * 60 * 1000]);
        assert.equal(access.decide(left), 'gone');
        const [first] = seen.filter((shown) => typeof shown === 'object');
        assert.equal(access.decide(left, first?.ticket), 'open');
        assert.equal(access.decide({ ...left, deleted_at: 1 }, first?.ticket), 'gone');
        assert.equal(access.decide({ ...left, owner_suspended: 1 }, first?.ticket), 'gone');
        assert.deepEqual(await opened.database.tables.ownedBy(account.id).uploads.byIds([row.id], 1), []);
      } finally {
        await opened.close();
      }
    });

    test('no view of an upload that is deleted or expired; the expiry is never put off', async () => {
      const opened = await engine.open();
      try {
        const { accounts, uploads } = opened.database.tables;
        const account = accountRow();
        await accounts.insert(account);
        const rows = [
          uploadRow(account.id, { views_left: 1, deleted_at: 9_000 }),
          uploadRow(account.id, { views_left: 1, expires_at: 500 }),
          uploadRow(account.id, { views_left: 1, expires_at: 1_500 }),
          uploadRow(account.id, { views_left: 2, expires_at: 9_000 }),
          uploadRow(account.id, { views_left: null }),
        ];
        await uploads.insert(...rows);
        const taken = [];
        for (const { id } of rows) taken.push(await uploads.takeView(id, 1_000, 2_000));
        assert.deepEqual(taken, [false, false, true, true, false]);
        const ends = [];
        for (const { id } of rows.slice(2)) ends.push((await uploads.byId(id))!.expires_at);
        assert.deepEqual(ends, [1_500, 9_000, null]);
      } finally {
        await opened.close();
      }
    });
  });

test('a flood of guesses from one network delays nobody else by more than one hash, and its rest is refused', async () => {
  const bounded = createUploadPasswords();
  const stored = await bounded.hash('owner', 'right');
  const order: string[] = [];
  const note = (name: string) => (given: unknown) => void order.push(`${name} ${String(given)}`);
  const flood = Array.from({ length: 30 }, () =>
    bounded.verify(['203', '203.0', '203.0.113.9'], stored, 'wrong').then(note('flood'), (error: Error) => {
      order.push(error.message);
    }),
  );
  const other = bounded.verify(['198', '198.51', '198.51.100.4'], stored, 'right').then(note('other'));
  const owner = bounded.hash('another owner', 'new').then(() => order.push('owner'));
  await Promise.all([...flood, other, owner]);
  const refused = order.filter((line) => line.startsWith('Too many passwords'));
  assert.ok(refused.length >= 15, `${refused.length} refused`);
  const worked = order.filter((line) => !line.startsWith('Too many passwords'));
  assert.ok(worked.indexOf('other true') <= 3, worked.join(', '));
  assert.ok(worked.indexOf('owner') <= 3, worked.join(', '));
});
