// What every database engine must do.
import type { CounterKey } from '#storage/tables/usage.ts';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { hashSecret, newId, newSlug } from '#core/ids.ts';
import type { AccountRow, ApiKeyRow, UploadRow } from '#storage/schema.ts';
import { databaseEngines, type OpenDatabase } from '#test/storage/engines.ts';

for (const engine of databaseEngines) {
  describe(`database on ${engine.name}`, () => {
    let opened: OpenDatabase;
    before(async () => {
      opened = await engine.open();
    });
    after(() => opened.close());

    const newAccount = async (change: Partial<AccountRow> = {}): Promise<AccountRow> => {
      const id = newId();
      const row: AccountRow = {
        id,
        email: `${id.toLowerCase()}@example.com`,
        plan: 'pro',
        verified: 1,
        suspended: 0,
        overages: 0,
        created_at: Date.now(),
        owner: 0,
        suspended_reason: null,
        overage_cap: null,
        webhook_events: '',
        allowed_hosts: '',
        deleted_at: null,
        ...change,
      };
      assert.equal(await opened.database.tables.accounts.insert(row), true);
      return row;
    };
    const keyOf = (accountId: string, change: Partial<ApiKeyRow> = {}): ApiKeyRow => ({
      id: newId(),
      account_id: accountId,
      name: 'a key',
      key_hash: hashSecret(newId()),
      display: 'tt_abc…wxyz',
      created_at: Date.now(),
      last_used_at: null,
      revoked_at: null,
      scope: 'all',
      expires_at: null,
      uploads_per_month: null,
      renders_per_month: null,
      ...change,
    });
    const uploadOf = (accountId: string, change: Partial<UploadRow> = {}): UploadRow => ({
      id: newId(),
      slug: newSlug(),
      account_id: accountId,
      key_id: null,
      filename: 'Zürich 🏔.png',
      content_type: 'image/png',
      size_bytes: 10 * 1024 * 1024,
      width: 640,
      height: null,
      sha256: hashSecret('bytes'),
      delete_token_hash: hashSecret('token'),
      created_at: Date.now(),
      expires_at: null,
      deleted_at: null,
      title: null,
      tags: '[]',
      metadata_removed: '[]',
      password_hash: null,
      views_left: null,
      views: 0,
      album_id: null,
      ...change,
    });
    function julyUploads(accountId: string): CounterKey {
      return { accountId, unit: 'upload', month: '2026-07' };
    }
    test('notes the time of every statement, also of one that fails', async () => {
      const { database } = opened;
      const noted: string[] = [];
      database.timings.listen((operation, durationMs) => {
        assert.ok(durationMs >= 0);
        noted.push(operation);
      });
      try {
        await database.transaction(async (tables) => tables.accounts.byEmail('nobody@example.com'));
        assert.equal(noted.at(-1), 'commit');
        await assert.rejects(sql`insert into accounts (id) values ('x')`.execute(database.connection));
        assert.equal(noted.at(-1), 'query');
        assert.equal(noted.includes('connect'), engine.name === 'postgres');
      } finally {
        database.timings.listen(() => {});
      }
    });

    test('answers a ping', () => opened.database.ping());

    test('accounts: a row is read back as written, and an e-mail address is unique', async () => {
      const { accounts } = opened.database.tables;
      const row = await newAccount();
      assert.deepEqual({ ...(await accounts.byEmail(row.email)) }, { ...row, stored_plan: null });
      assert.equal(await accounts.insert({ ...row, id: newId() }), false);
      assert.equal(await accounts.byEmail('nobody@example.com'), undefined);
      const changed = await accounts.update(row.id, { suspended: 1, plan: 'free' });
      assert.deepEqual({ ...changed }, { ...row, suspended: 1, plan: 'free' });
      assert.equal(await accounts.update('nobody', { plan: 'free' }), undefined);
      assert.ok((await accounts.list()).some(({ id }) => id === row.id));
      assert.equal(await accounts.isEmpty(), false);
    });

    test('addresses of API keys: the newest five of each, and none of a key that is gone', async () => {
      const { apiKeys, accounts, ownedBy } = opened.database.tables;
      const account = await newAccount();
      const [busy, quiet, gone] = [keyOf(account.id), keyOf(account.id), keyOf(account.id)];
      await apiKeys.insert(busy);
      await apiKeys.insert(quiet);
      const use = (key: { id: string }, address: string, last_used_at: number) => ({
        key_id: key.id,
        address,
        last_used_at,
      });
      await apiKeys.noteAddresses([use(quiet, 'a', 1), use(gone, 'a', 1)]);
      await apiKeys.noteAddresses(['a', 'b', 'c', 'd'].map((name, at) => use(busy, name, at)));
      await apiKeys.noteAddresses([use(busy, 'e', 9), use(busy, 'f', 9), use(busy, 'a', 10)]);
      const kept = async () =>
        (await ownedBy(account.id).keys.addresses()).map(({ key_id, address, last_used_at }) => [
          key_id === busy.id ? 'busy' : 'quiet',
          address,
          last_used_at,
        ]);
      assert.deepEqual(await kept(), [
        ['busy', 'a', 10],
        ['busy', 'e', 9],
        ['busy', 'f', 9],
        ['busy', 'd', 3],
        ['busy', 'c', 2],
        ['quiet', 'a', 1],
      ]);
      assert.deepEqual(await ownedBy((await newAccount()).id).keys.addresses(), []);
      await accounts.update(account.id, { deleted_at: 1 });
      await accounts.purge(account.id);
      assert.deepEqual(
        await opened.database.connection.selectFrom('key_addresses').selectAll().execute(),
        [],
      );
    });

    test('API keys: found by hash together with the permissions of the account, revoked once', async () => {
      const { apiKeys } = opened.database.tables;
      const account = await newAccount({ overages: 1 });
      const key = keyOf(account.id);
      await apiKeys.insert(key);
      assert.deepEqual(
        { ...(await apiKeys.holderOf(key.key_hash)) },
        {
          id: key.id,
          account_id: account.id,
          revoked_at: null,
          scope: 'all',
          expires_at: null,
          uploads_per_month: null,
          renders_per_month: null,
          plan: 'pro',
          verified: 1,
          suspended: 0,
          overages: 1,
          overage_cap: null,
          webhook_events: '',
          stored_plan: null,
          allowed_hosts: '',
        },
      );
      assert.equal(await apiKeys.holderOf(hashSecret('other')), undefined);
      await apiKeys.touch([key.id], 1_700_000_000_000);
      assert.equal((await apiKeys.revoke(key.id, 1_800_000_000_000))?.revoked_at, 1_800_000_000_000);
      const again = await apiKeys.revoke(key.id, 1_900_000_000_000);
      assert.deepEqual(
        { ...again },
        { ...key, last_used_at: 1_700_000_000_000, revoked_at: 1_800_000_000_000 },
      );
      assert.equal(await apiKeys.revoke('nobody', 1), undefined);
      assert.deepEqual(
        (await apiKeys.listOf(account.id)).map(({ id }) => id),
        [key.id],
      );
      await assert.rejects(apiKeys.insert(keyOf(account.id, { key_hash: key.key_hash })), /unique/i);
    });

    test('uploads: a taken slug is refused without an error, and only one deletion succeeds', async () => {
      const { uploads } = opened.database.tables;
      const account = await newAccount();
      const row = uploadOf(account.id);
      assert.equal(await uploads.insert(row), true);
      assert.equal(await uploads.insert(uploadOf(account.id, { slug: row.slug })), false);
      const found = { ...row, owner_suspended: 0, owner_webhook_events: '' };
      assert.deepEqual({ ...(await uploads.bySlug(row.slug)) }, found);
      assert.deepEqual({ ...(await uploads.byId(row.id)) }, found);
      const wins = await Promise.all(
        Array.from({ length: 5 }, (_, index) => uploads.markDeleted(row.id, 1_000 + index)),
      );
      assert.equal(wins.filter(Boolean).length, 1);
      assert.deepEqual(await uploads.dead(2_000, 10), [row.id]);
      assert.deepEqual([...(await uploads.existing([row.id, 'other']))], [row.id]);
      await uploads.purge([row.id]);
      assert.equal(await uploads.byId(row.id), undefined);
      assert.deepEqual(await uploads.dead(2_000, 10), []);
    });

    test('uploads: `dead` lists deleted and expired ones, in batches', async () => {
      const { uploads } = opened.database.tables;
      const account = await newAccount();
      const rows = [
        uploadOf(account.id, { expires_at: 5_000 }),
        uploadOf(account.id, { expires_at: 5_001 }),
        uploadOf(account.id, { deleted_at: 1 }),
        uploadOf(account.id, { expires_at: 1, deleted_at: 1 }),
        uploadOf(account.id),
      ];
      for (const row of rows) await uploads.insert(row);
      const dead = await uploads.dead(5_000, 100);
      assert.deepEqual(dead.toSorted(), [rows[0]!.id, rows[2]!.id, rows[3]!.id].toSorted());
      assert.equal((await uploads.dead(5_000, 2)).length, 2);
      await uploads.purge(rows.map(({ id }) => id));
    });

    test('any text is read back unchanged', async () => {
      const { uploads } = opened.database.tables;
      const account = await newAccount();
      for (const filename of [`'; drop table uploads; --.png`, '🏔️ 名前.png', 'a\\b%_".png']) {
        const row = uploadOf(account.id, { filename });
        await uploads.insert(row);
        assert.equal((await uploads.byId(row.id))?.filename, filename);
      }
    });

    test('foreign keys: no key and no upload without an account, and they are deleted with it', async () => {
      const { apiKeys, uploads } = opened.database.tables;
      await assert.rejects(apiKeys.insert(keyOf('nobody')), /foreign key/i);
      await assert.rejects(uploads.insert(uploadOf('nobody')), /foreign key/i);
      const account = await newAccount();
      const row = uploadOf(account.id);
      await uploads.insert(row);
      await opened.execute(`delete from accounts where id = '${account.id}'`);
      assert.equal(await uploads.byId(row.id), undefined);
    });

    test('a transaction that throws writes nothing; one that does not writes everything', async () => {
      const account = await newAccount();
      const row = uploadOf(account.id);
      const work = (fails: boolean) =>
        opened.database.transaction(async ({ uploads, usage }) => {
          await usage.take(julyUploads(account.id), 10, 10);
          await uploads.insert(row);
          if (fails) throw new Error('on purpose');
          return 'done';
        });
      await assert.rejects(work(true), /on purpose/);
      const { uploads, usage } = opened.database.tables;
      assert.equal(await uploads.byId(row.id), undefined);
      assert.equal((await usage.read({ accountId: account.id, unit: 'upload', month: '2026-07' })).used, 0);
      assert.equal(await work(false), 'done');
      assert.ok(await uploads.byId(row.id));
      assert.equal((await usage.read({ accountId: account.id, unit: 'upload', month: '2026-07' })).used, 1);
    });

    test('a statement that runs during a transaction does not become part of it', async () => {
      const account = await newAccount();
      const inside = Promise.withResolvers<void>();
      const transaction = opened.database.transaction(async ({ uploads }) => {
        await uploads.insert(uploadOf(account.id));
        inside.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        throw new Error('on purpose');
      });
      await inside.promise;
      const outside = uploadOf(account.id);
      const [, outcome] = await Promise.all([
        assert.rejects(transaction, /on purpose/),
        opened.database.tables.uploads.insert(outside),
      ]);
      assert.equal(outcome, true);
      assert.ok(await opened.database.tables.uploads.byId(outside.id), 'it survived the rollback');
    });

    test('the guarded counter gives each unit once, across all connections', async () => {
      const account = await newAccount();
      const connections = [opened.database];
      while (connections.length < engine.parallelConnections) connections.push(await opened.openAnother());
      const takes = await Promise.all(
        // As many as the pools have connections, because waiting for one is limited to two seconds.
        Array.from({ length: 40 }, (_, index) =>
          connections[index % connections.length]!.transaction(async ({ usage }) => {
            const taken = await usage.take(julyUploads(account.id), 25, 25);
            if (taken) {
              await usage.record({
                account_id: account.id,
                key_id: null,
                unit: 'upload',
                month: '2026-07',
                source_id: newId(),
                overage: 0,
                created_at: 1,
              });
            }
            return taken?.used;
          }),
        ),
      );
      const given = takes.filter((used) => used !== undefined).toSorted((a, b) => a - b);
      assert.deepEqual(
        given,
        Array.from({ length: 25 }, (_, index) => index + 1),
      );
      const { usage } = opened.database.tables;
      assert.deepEqual(
        { ...(await usage.read({ accountId: account.id, unit: 'upload', month: '2026-07' })) },
        { used: 25, overage: 0 },
      );
      assert.deepEqual(await usage.sumOfLedger({ accountId: account.id, unit: 'upload', month: '2026-07' }), {
        used: 25,
        overage: 0,
      });
    });

    test('the counter exceeds its limit only if allowed, and counts the overage', async () => {
      const account = await newAccount();
      const { usage } = opened.database.tables;
      const take = async (mayOverrun: boolean) => {
        const taken = await usage.take(julyUploads(account.id), 1, mayOverrun ? Infinity : 1);
        return taken && { ...taken };
      };
      assert.deepEqual(await take(true), { used: 1, overage: 0 });
      assert.equal(await take(false), undefined);
      assert.deepEqual(await take(true), { used: 2, overage: 1 });
      assert.equal(await usage.take(julyUploads(account.id), 0, 0), undefined);
      assert.equal(
        (await usage.read({ accountId: account.id, unit: 'render', month: '2026-07' })).used,
        0,
        'another unit',
      );
      assert.equal(
        (await usage.read({ accountId: account.id, unit: 'upload', month: '2026-08' })).used,
        0,
        'another month',
      );
    });

    test('the ledger accepts each source once', async () => {
      const account = await newAccount();
      const event = {
        account_id: account.id,
        key_id: null,
        unit: 'upload' as const,
        month: '2026-07',
        source_id: newId(),
        overage: 0 as const,
        created_at: 1,
      };
      await opened.database.tables.usage.record(event);
      await assert.rejects(opened.database.tables.usage.record(event), /unique/i);
    });

    test('a database from a newer version is refused with the reason', async () => {
      const newer = await engine.open();
      try {
        await newer.execute(
          "insert into kysely_migration (name, timestamp) values ('9999_from_the_future', '2099-01-01T00:00:00Z')",
        );
        await assert.rejects(newer.openAnother(), {
          message: /newer version of Tintype: it has the migration 9999_from_the_future/,
        });
      } finally {
        await newer.close();
      }
    });
  });
}
