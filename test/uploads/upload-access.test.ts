// Views are exact under race on every engine, and passwords are hashed one at a time, with turns for everyone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '#storage/database.ts';
import { createUploadAccess } from '#uploads/upload-access.ts';
import { createUploadPasswords } from '#uploads/upload-passwords.ts';
import { createTestClock } from '#test/support/clock.ts';
import { databaseEngines } from '#test/storage/engines.ts';
import { accountRow, uploadRow } from '#test/storage/rows.ts';

const passwords = createUploadPasswords({ clock: createTestClock(), maxWaiting: 1_000 });

/** An upload with so many views left, after so many visitors have asked for it at the same time. */
async function visitAtOnce(database: Database, { visitors, views }: { visitors: number; views: number }) {
  const clock = createTestClock(1_000_000);
  const access = createUploadAccess({ database, clock, passwords, secret: 'secret' });
  const { accounts, uploads } = database.tables;
  const account = accountRow();
  await accounts.insert(account);
  const row = uploadRow(account.id, { views_left: views });
  await uploads.insert(row);
  const seen = await Promise.all(Array.from({ length: visitors }, () => access.show(row, '', ['a'])));
  return { account, access, row, seen, left: (await uploads.bySlug(row.slug))! };
}

for (const engine of databaseEngines)
  describe(engine.name, () => {
    test('60 visitors at once and 7 views: 7 tickets, and a row that its owner keeps', async () => {
      const opened = await engine.open();
      try {
        const { account, access, row, seen, left } = await visitAtOnce(opened.database, {
          visitors: 60,
          views: 7,
        });
        const { uploads } = opened.database.tables;
        assert.equal(seen.filter((shown) => typeof shown === 'object').length, 7);
        assert.equal(seen.filter((shown) => shown === 'gone').length, 53);
        assert.deepEqual([left.views_left, left.views, left.expires_at], [0, 7, null]);
        assert.equal(access.decide(left), 'gone');
        const [first] = seen.filter((shown) => typeof shown === 'object');
        assert.equal(access.decide(left, first?.ticket), 'open');
        assert.equal(access.decide({ ...left, deleted_at: 1 }, first?.ticket), 'gone');
        assert.equal(access.decide({ ...left, owner_suspended: 1 }, first?.ticket), 'gone');
        const owned = opened.database.tables.ownedBy(account.id).uploads;
        const kept = await Promise.all([
          owned.byIds([row.id], 1),
          owned.page({}, { after: undefined, limit: 2 }, 1),
        ]);
        assert.deepEqual(
          kept.map((rows) => rows.map(({ id }) => id)),
          [[row.id], [row.id]],
        );
        assert.equal((await owned.totals({}, 1)).files, 1);
        assert.deepEqual(await uploads.dead(9e12, 10), [], 'no sweep takes it');
        await owned.markDeleted([row.id], 2_000_000);
        assert.deepEqual(await owned.restore([row.id], 1_000_000), [row.id]);
      } finally {
        await opened.close();
      }
    });

    test('20 visitors at once and one view: one ticket', async () => {
      const opened = await engine.open();
      try {
        const { seen, left } = await visitAtOnce(opened.database, { visitors: 20, views: 1 });
        assert.equal(seen.filter((shown) => typeof shown === 'object').length, 1);
        assert.deepEqual([left.views, left.views_left], [1, 0]);
      } finally {
        await opened.close();
      }
    });

    test('a limit that its owner changes while visitors come counts every one of them', async () => {
      const opened = await engine.open();
      try {
        const { accounts, uploads } = opened.database.tables;
        const account = accountRow();
        await accounts.insert(account);
        const owned = opened.database.tables.ownedBy(account.id).uploads;
        const row = uploadRow(account.id, { views_left: 5 });
        await uploads.insert(row);
        const visitors = () => Array.from({ length: 10 }, () => uploads.takeView(row.id, 1));
        const more = owned.change(row.id, { max_views: 12 }).then(() => false);
        const taken = await Promise.all([...visitors(), more, ...visitors()]);
        taken.push(...(await Promise.all(visitors())));
        assert.equal(taken.filter(Boolean).length, 12);
        const full = (await uploads.byId(row.id))!;
        assert.deepEqual([full.views, full.views_left], [12, 0]);
        assert.equal((await owned.change(row.id, { max_views: 3 }))?.views_left, 0, 'never below zero');
        assert.equal((await owned.change(row.id, { max_views: null }))?.views_left, null);
        assert.equal(await uploads.takeView(row.id, 1), true);
        assert.equal((await owned.change(row.id, { max_views: 14 }))?.views_left, 1);
      } finally {
        await opened.close();
      }
    });

    test('no view of an upload that is deleted or expired, and a password alone is counted too', async () => {
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
        for (const { id } of rows) taken.push(await uploads.takeView(id, 1_000));
        assert.deepEqual(taken, [false, false, true, true, true]);
        const kept = [];
        for (const { id } of rows.slice(2)) {
          const { expires_at, views, views_left } = (await uploads.byId(id))!;
          kept.push([expires_at, views, views_left]);
        }
        assert.deepEqual(kept, [
          [1_500, 1, 0],
          [9_000, 1, 1],
          [null, 1, null],
        ]);
      } finally {
        await opened.close();
      }
    });
  });

test('a flood of guesses from one network delays nobody else by more than one hash, and its rest is refused', async () => {
  const bounded = createUploadPasswords({ clock: createTestClock() });
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
