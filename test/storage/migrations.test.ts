// Migrations on every engine: they can be repeated, and many processes may run them at once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { command } from '#lab/support/commands.ts';
import { tintype } from '#lab/support/processes.ts';
import { databaseEngines } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';

/** The ledger and the request log before account and time became their primary keys. */
const tablesByRandomId = `
  drop table usage_events;
  create table usage_events (id text primary key, account_id text not null references accounts (id) on delete cascade,
    key_id text, unit text not null, month text not null, source_id text not null unique, overage integer not null,
    created_at bigint not null);
  create index usage_events_account_time on usage_events (account_id, created_at);
  drop table request_log;
  create table request_log (id text primary key, account_id text not null references accounts (id) on delete cascade,
    key_id text, path text not null, status integer not null, code text, reason text, duration_ms integer not null,
    created_at bigint not null);
  create index request_log_account_time on request_log (account_id, created_at, id);
  create index request_log_time on request_log (created_at);
  drop table request_days;
  drop table quota_warnings;
  delete from kysely_migration where name >= '0016';`;

for (const engine of databaseEngines) {
  describe(`migrations on ${engine.name}`, () => {
    test('opening again keeps the rows', async () => {
      const { database, openAnother, close } = await engine.open();
      try {
        const row = accountRow();
        await database.tables.accounts.insert(row);
        assert.equal((await (await openAnother()).tables.accounts.byEmail(row.email))?.id, row.id);
      } finally {
        await close();
      }
    });

    test('ledger and request log keep their rows under their new keys', async () => {
      const { database, execute, openAnother, close } = await engine.open();
      try {
        const { id } = accountRow();
        await database.tables.accounts.insert({ ...accountRow(), id });
        await execute(`${tablesByRandomId}
          insert into usage_events values ('e1', '${id}', 'k', 'upload', '2026-11', 's1', 0, 5),
            ('e2', '${id}', null, 'render', '2026-11', 's2', 1, 5);
          insert into request_log values ('r1', '${id}', 'k', '/api/v1/upload', 402, 'quota_exceeded', 'spent', 7, 5);`);
        const { ownedBy, requestLog } = (await openAnother()).tables;
        const page = { after: undefined, limit: 10 };
        const same = { account_id: id, month: '2026-11', created_at: 5 };
        assert.deepEqual(
          (await ownedBy(id).usage.events(page)).map((row) => ({ ...row })),
          [
            { ...same, id: 's2', source_id: 's2', key_id: null, unit: 'render', overage: 1 },
            { ...same, id: 's1', source_id: 's1', key_id: 'k', unit: 'upload', overage: 0 },
          ],
        );
        const requests = () => ownedBy(id).requests.page({}, page);
        assert.deepEqual(
          (await requests()).map(({ id: request, reason, status }) => [request, reason, status]),
          [['r1', 'spent', 402]],
        );
        assert.equal(await requestLog.purgeOlder(5, 1), false, 'not older than itself');
        assert.equal(await requestLog.purgeOlder(6, 1), true);
        assert.deepEqual(await requests(), []);
      } finally {
        await close();
      }
    });

    test('three processes that start at once on an empty database all start', async () => {
      const { environment, remove } = await engine.newPlace();
      try {
        const runs = await Promise.all(
          [1, 2, 3].map((n) =>
            tintype(['account', 'create', '--email', `user${n}@example.com`, '--json'], environment),
          ),
        );
        for (const { code, stderr } of runs) assert.deepEqual([code, stderr], [0, '']);
        const { stdout } = await command(['account', 'list', '--json'], environment);
        assert.equal((JSON.parse(stdout) as unknown[]).length, 3);
      } finally {
        await remove();
      }
    });
  });
}
