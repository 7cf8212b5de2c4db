// What every database engine must do with renders, their leases, stored responses and new counters.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { UploadFilter } from '#storage/owned/uploads.ts';
import type { AccountRow, VariantRow } from '#storage/schema.ts';
import { databaseEngines, type OpenDatabase } from '#test/storage/engines.ts';
import { accountRow, claimRow, eventRow, renderRow, uploadRow } from '#test/storage/rows.ts';

const month = '2026-11';

/** Engines differ in the prototype of their rows, which does not matter. */
const same = (actual: unknown, expected: unknown): void =>
  assert.deepEqual(structuredClone(actual), expected);

for (const engine of databaseEngines) {
  describe(`tables on ${engine.name}`, () => {
    let opened: OpenDatabase;
    before(async () => {
      opened = await engine.open();
    });
    after(() => opened.close());

    async function newAccount(change: Partial<AccountRow> = {}): Promise<AccountRow> {
      const row = accountRow(change);
      assert.equal(await opened.database.tables.accounts.insert(row), true);
      return row;
    }
    async function newCounter(unit: 'upload' | 'render' = 'upload') {
      return { accountId: (await newAccount()).id, unit, month };
    }

    test('usage: parallel first requests of a month all get their unit', async () => {
      const counter = await newCounter();
      const taken = await Promise.all(
        Array.from({ length: 20 }, () =>
          opened.database.transaction((tables) => tables.usage.take(counter, 20, 20)),
        ),
      );
      assert.equal(taken.filter((usage) => usage !== undefined).length, 20);
    });

    test('usage: a locked counter makes 60 parallel renders with 3 slots hold exactly 3', async () => {
      const counter = await newCounter('render');
      const hold = (id: string): Promise<boolean> =>
        opened.database.transaction(async ({ usage, renderLeases }) => {
          await usage.lock(counter);
          if ((await renderLeases.live(counter.accountId, 1_000)).leases >= 3) return false;
          await renderLeases.insert({
            id,
            account_id: counter.accountId,
            key_id: null,
            expires_at: 2_000,
            units: 1,
          });
          return true;
        });
      // As many at once as there are connections: on a busy machine, more would wait too long for one.
      const held: boolean[] = [];
      const renders = Array.from({ length: 60 }, (_, index) => `${counter.accountId}-${index}`).values();
      const one = async (): Promise<void> => {
        for (const id of renders) held.push(await hold(id));
      };
      await Promise.all(Array.from({ length: 10 }, one));
      assert.equal(held.length, 60);
      assert.equal(held.filter(Boolean).length, 3);
      assert.equal((await opened.database.tables.renderLeases.live(counter.accountId, 1_000)).leases, 3);
    });

    test('renders: every column is read back as written, with the owner', async () => {
      const account = await newAccount({ suspended: 1 });
      const row = renderRow(account.id, { failure: 'unreachable', expires_at: 1_763_187_654_321 });
      await opened.database.tables.renders.insert(row);
      same(await opened.database.tables.renders.byId(row.id), {
        ...row,
        owner_suspended: 1,
        owner_webhook_events: '',
      });
      assert.equal(await opened.database.tables.renders.byId('unknown'), undefined);
    });

    test('renders: deleted and expired rows are purged; a render kept only for a replay stays in the history', async () => {
      const { database: other, close } = await engine.open();
      try {
        const account = accountRow();
        await other.tables.accounts.insert(account);
        const fresh = renderRow(account.id, { created_at: 9_000 });
        const replay = renderRow(account.id, { created_at: 9_000, hosted: 0, expires_at: 9_500 });
        const expired = renderRow(account.id, { created_at: 9_000, expires_at: 9_500 });
        const deleted = renderRow(account.id, { created_at: 9_000, deleted_at: 9_100 });
        const old = renderRow(account.id, { created_at: 100, hosted: 0 });
        const inBin = renderRow(account.id, { created_at: 9_000, deleted_at: 10_001 });
        const expiredInBin = renderRow(account.id, {
          created_at: 9_000,
          expires_at: 9_500,
          deleted_at: 10_001,
        });
        const all = [fresh, replay, expired, deleted, old, inBin, expiredInBin];
        for (const row of all) await other.tables.renders.insert(row);
        const dead = await other.tables.renders.dead(10_000, 1_000, 100);
        assert.deepEqual(
          dead.toSorted(),
          [replay, expired, deleted, old, expiredInBin].map(({ id }) => id).toSorted(),
        );
        await other.tables.renders.retire(dead, 10_000, 1_000);
        assert.deepEqual(
          await other.tables.renders.existing(all.map(({ id }) => id)),
          new Set([fresh.id, replay.id, inBin.id]),
        );
        assert.deepEqual(await other.tables.renders.dead(10_000, 1_000, 100), []);
      } finally {
        await close();
      }
    });

    test('variants: recorded for what is there, replaced, and forgotten with it', async () => {
      const { tables } = opened.database;
      const account = await newAccount();
      const [upload, render, gone] = [
        uploadRow(account.id),
        renderRow(account.id),
        uploadRow(account.id, { deleted_at: 9 }),
      ];
      await tables.uploads.insert(upload, gone);
      await tables.renders.insert(render);
      const row = (owner: string, name: string): VariantRow => ({
        key: owner + name,
        owner_id: owner,
        account_id: account.id,
        size_bytes: 12,
        sha256: 'abc',
        failure: null,
        created_at: 1_763_187_654_321,
      });
      const failed = { ...row(upload.id, ''), size_bytes: null, sha256: null, failure: 'it is damaged' };
      const rows = [
        row(upload.id, '_32_png'),
        row(upload.id, '_full_webp'),
        row(render.id, '-1_64_webp'),
        failed,
      ];
      for (const one of rows) assert.equal(await tables.variants.record(one), true);
      assert.equal(await tables.variants.record(row(gone.id, '_32_png')), false);
      assert.equal(await tables.variants.record({ ...rows[0]!, size_bytes: 99 }), true);
      same(await tables.variants.byKeys([rows[0]!.key]), [{ ...rows[0]!, size_bytes: 99 }]);
      same(await tables.variants.byKeys([failed.key]), [failed]);
      assert.deepEqual(
        await tables.uploads.existingKeys([rows[0]!.key, 'other_32_png']),
        new Set([rows[0]!.key]),
      );
      const keys = (await tables.uploads.keysOf([upload.id, 'other'])).get(upload.id);
      assert.deepEqual(keys?.toSorted(), [upload.id, rows[0]!.key, rows[1]!.key].toSorted());
      assert.deepEqual((await tables.renders.keysOf([render.id])).get(render.id), [render.id, rows[2]!.key]);
      await tables.uploads.purge([upload.id]);
      await tables.renders.purge([render.id]);
      assert.deepEqual(await tables.variants.byKeys(rows.map(({ key }) => key)), []);
    });

    test('uploads: found by their tags, within one account, until the tags change or the upload is purged', async () => {
      const { tables } = opened.database;
      const [account, other] = [accountRow(), accountRow()];
      for (const row of [account, other]) await tables.accounts.insert(row);
      const [first, second, foreign] = [
        uploadRow(account.id, { created_at: 1, title: 'Ärger', tags: '["a","b"]' }),
        uploadRow(account.id, { created_at: 2 }),
        uploadRow(other.id),
      ];
      await tables.uploads.insert(first, second, foreign);
      const owned = tables.ownedBy(account.id).uploads;
      for (const { id } of [first, second]) await owned.setTags(id, ['a', id]);
      await tables.ownedBy(other.id).uploads.setTags(foreign.id, ['a']);
      const found = async (filter: UploadFilter, limit = 9): Promise<string[]> =>
        (await owned.page(filter, { after: undefined, limit }, 3)).map(({ id }) => id);
      assert.deepEqual(await found({ tag: 'a' }), [second.id, first.id]);
      assert.deepEqual(await found({ tag: 'a' }, 1), [second.id]);
      assert.deepEqual(await found({ tag: first.id }), [first.id]);
      assert.deepEqual(await found({ search: 'rger' }), [first.id]);
      assert.deepEqual({ ...(await owned.byId(first.id, 3)) }, first);
      // Those of another account are not touched.
      await owned.setTags(foreign.id, []);
      await owned.setTags(second.id, ['c']);
      assert.deepEqual([await found({ tag: 'a' }), await found({ tag: 'c' })], [[first.id], [second.id]]);
      assert.equal(await owned.change(foreign.id, { title: 'x' }), undefined);
      await tables.uploads.purge([first.id]);
      assert.deepEqual(await found({ tag: 'a' }), []);
      const { rows } = await sql<{ tag: string }>`
        select tag from upload_tags where upload_id in (${first.id}, ${second.id}, ${foreign.id}) order by tag
      `.execute(opened.database.connection);
      assert.deepEqual(
        rows.map(({ tag }) => tag),
        ['a', 'c'],
      );
    });

    test('sessions: the sweep keeps those that have not expired, and of them the newest of each person', async () => {
      const { connection, tables } = opened.database;
      const time = (seconds: number) => new Date(seconds * 1_000).toISOString();
      const people = [await newAccount(), await newAccount()];
      for (const { id, email } of people) {
        await sql`insert into people (id, name, email, email_verified, created_at, updated_at)
          values (${id}, 'A', ${email}, ${opened.database.engine === 'sqlite' ? 1 : true}, ${time(0)}, ${time(0)})`.execute(
          connection,
        );
        for (let n = 0; n < 5; n += 1)
          await sql`insert into sessions (id, person_id, token, expires_at, created_at, updated_at)
            values (${`${id}-${n}`}, ${id}, ${`${id}-${n}`}, ${time(n === 4 ? 50 : 9_000)}, ${time(n)}, ${time(n)})`.execute(
            connection,
          );
      }
      await tables.people.purgeExpired(100_000, 3);
      for (const { id } of people) {
        const { rows } = await sql<{
          id: string;
        }>`select id from sessions where person_id = ${id} order by id`.execute(connection);
        assert.deepEqual(
          rows.map((row) => row.id),
          [1, 2, 3].map((n) => `${id}-${n}`),
        );
      }
    });

    test('leases: they count until they expire or are released', async () => {
      const { id } = await newAccount();
      const { renderLeases } = opened.database.tables;
      await renderLeases.insert({ id: `${id}-1`, account_id: id, key_id: null, expires_at: 1_000, units: 1 });
      await renderLeases.insert({ id: `${id}-2`, account_id: id, key_id: null, expires_at: 2_000, units: 1 });
      assert.equal((await renderLeases.live(id, 999)).leases, 2);
      assert.equal((await renderLeases.live(id, 1_000)).leases, 1);
      await renderLeases.purgeExpired(1_000);
      assert.equal((await renderLeases.live(id, 0)).leases, 1);
      await renderLeases.delete(`${id}-2`);
      assert.equal((await renderLeases.live(id, 0)).leases, 0);
    });

    test('a key: what its renders have reserved, and what it has used since a day', async () => {
      const { id: accountId } = await newAccount();
      const { renderLeases, usage } = opened.database.tables;
      const leases = { mine: 'key', gone: 'key', other: 'other', none: null };
      for (const [name, key_id] of Object.entries(leases)) {
        const expires_at = name === 'gone' ? 1_000 : 2_000;
        const id = `${accountId}-${name}`;
        await renderLeases.insert({ id, account_id: accountId, key_id, expires_at, units: 3 });
      }
      assert.equal(await renderLeases.unitsOfKey(accountId, 'key', 1_000), 3);
      for (const [day, key_id] of [
        [9, 'key'],
        [10, 'key'],
        [10, 'other'],
        [12, 'key'],
      ] as const)
        await usage.record({ ...eventRow(accountId, '2026-01'), key_id, created_at: day * 86_400_000 });
      const mine = { accountId, unit: 'upload', keyId: 'key' } as const;
      assert.deepEqual([await usage.ofKeySince(mine, 10), await usage.ofKeySince(mine, 13)], [2, 0]);
    });

    test('idempotency: one of many claims may run, and its response is found', async () => {
      const { id } = await newAccount();
      const { idempotency } = opened.database.tables;
      const claims = Array.from({ length: 10 }, (_, index) => claimRow(id, `${id}-${index}`));
      const claimed = await Promise.all(claims.map((claim) => idempotency.claim(claim)));
      assert.equal(claimed.filter(Boolean).length, 1);
      const winner = claims[claimed.indexOf(true)] as (typeof claims)[number];
      same(await idempotency.find(winner), winner);
      const answer = { status: 201, headers: '{}', body: '{"a":1}', render_id: null };
      assert.equal(await idempotency.answer(winner.attempt, answer), true);
      same(await idempotency.find(winner), { ...winner, ...answer });
      await idempotency.forgetUnanswered(winner.attempt);
      same(await idempotency.find(winner), { ...winner, ...answer });
      await idempotency.drop(winner.attempt);
      assert.equal(
        await idempotency.answer(winner.attempt, answer),
        false,
        'another attempt may have taken over',
      );
      assert.equal(await idempotency.find(winner), undefined);
      assert.equal(await idempotency.claim(claimRow(id, `${id}-again`)), true);
      await idempotency.forgetUnansweredBefore(winner.created_at);
      assert.notEqual(await idempotency.find(winner), undefined, 'not from before that time');
      await idempotency.forgetUnansweredBefore(winner.created_at + 1);
      assert.equal(await idempotency.find(winner), undefined, 'its process is gone');
      assert.equal(await idempotency.claim(claimRow(id, `${id}-answered`)), true);
      await idempotency.answer(`${id}-answered`, answer);
      await idempotency.forgetUnansweredBefore(winner.created_at + 1);
      assert.equal((await idempotency.find(winner))?.status, 201, 'a stored response stays');
      await idempotency.purge(winner.created_at + 1);
      assert.equal(await idempotency.find(winner), undefined);
    });
  });
}
