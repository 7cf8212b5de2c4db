// Migrations on every engine: they can be repeated, many processes may run them at once, and databases from before
// the migrations of version 2 were joined are adopted.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '#storage/database.ts';
import { laterMigrations } from '#storage/later-migrations.ts';
import { toStoredRender } from '#renders/stored-render.ts';
import { command } from '#test/support/commands.ts';
import { tintype } from '#test/support/processes.ts';
import { databaseEngines, type DatabaseEngine } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';

/** What a schema consists of, without the order of its columns. */
const descriptions: Record<DatabaseEngine['name'], string[]> = {
  // SQLite takes every type with INT in its name for the same one.
  sqlite: [
    `select t.name as "table", t.wr, c.name, iif(c.type like '%int%', 'integer', lower(c.type)) as type, c."notnull", c.dflt_value, c.pk
     from pragma_table_list as t join pragma_table_xinfo(t.name) as c order by 1, 3`,
    `select t.name as "table", f."from", f."table" as target, f."to", f.on_update, f.on_delete
     from pragma_table_list as t join pragma_foreign_key_list(t.name) as f order by 1, 2`,
    `select t.name as "table", i.name, i."unique", i.origin, x.seqno, x.name as "column", x.desc, x.coll,
       iif(i.partial, (select replace(substr(sql, instr(sql, ' where ')), '"', '') from sqlite_master where name = i.name), '') as part
     from pragma_table_list as t join pragma_index_list(t.name) as i join pragma_index_xinfo(i.name) as x order by 1, 2, 5`,
  ],
  postgres: [
    `select c.relname, c.relpersistence, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull,
       pg_get_expr(d.adbin, d.adrelid) as initially
     from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped order by 1, 3`,
    `select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as text from pg_constraint
     where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
  ],
};

async function describeSchema({ connection, engine }: Database): Promise<unknown[][]> {
  const parts = await Promise.all(descriptions[engine].map((text) => sql.raw(text).execute(connection)));
  return parts.map(({ rows }) => rows.map((row) => ({ ...(row as object) })));
}

/** The names under which the migrations from before the first release were recorded. The last commit with fourteen is c184a973. */
const namesBeforeJoined = [
  '0001_initial_schema',
  '0002_several_outputs',
  '0003_variants_of_pictures',
  '0004_webhooks',
  '0005_uploads_by_key',
  '0006_render_jobs',
  '0007_cache_and_links',
  '0008_albums',
  '0009_guarded_uploads',
  '0010_sign_in_providers',
  '0011_granted_hosts',
  '0012_plans',
  '0013_key_addresses',
  '0014_key_quotas',
  '0015_counted_views',
  '0016_kinds_of_requests',
];

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

    for (const recordedNames of [namesBeforeJoined.slice(0, 14), namesBeforeJoined]) {
      test(`a database with ${recordedNames.length} names of migrations that are joined now is adopted, with its rows`, async () => {
        const fresh = await engine.open();
        const { database, execute, openAnother, close } = await engine.open();
        const account = accountRow();
        try {
          const ofFresh = {
            schema: await describeSchema(fresh.database),
            names: await recorded(fresh.database),
          };
          assert.ok((ofFresh.schema[0]?.length ?? 0) > 150);
          await database.tables.accounts.insert(account);
          await execute(`${undoJoining(recordedNames)};
            insert into albums (id, slug, account_id, created_at) values ('album', 'of-album', '${account.id}', 1);
            insert into uploads (id, slug, account_id, filename, content_type, size_bytes, sha256, delete_token_hash, created_at, title,
              album_id, views_left)
            values ('upload', 'slug', '${account.id}', 'a.png', 'image/png', 7, 'hash', 'token', 2, 'Title', 'album', 3);
            insert into request_log (account_id, created_at, id, path, status, duration_ms)
            values ('${account.id}', 3, 'request', '/u', 201, 4)`);
          for (const time of ['first', 'second']) {
            const { tables } = await openAnother();
            assert.deepEqual(await recorded(database), ofFresh.names, `the ${time} start`);
            assert.deepEqual(await describeSchema(database), ofFresh.schema, `the ${time} start`);
            const upload = await tables.uploads.bySlug('slug');
            assert.deepEqual(
              [upload?.title, upload?.album_id, upload?.views_left, upload?.views],
              ['Title', 'album', 3, 0],
            );
          }
          const { rows } = await sql`select id, kind from request_log`.execute(database.connection);
          assert.deepEqual(
            rows.map((row) => ({ ...(row as object) })),
            [{ id: 'request', kind: null }],
          );
        } finally {
          await Promise.all([fresh.close(), close()]);
        }
      });
    }

    test('a database of migrations that are joined now is adopted once by processes that start at the same moment', async () => {
      const { database, execute, openAnother, close } = await engine.open();
      try {
        const names = await recorded(database);
        await execute(undoJoining(namesBeforeJoined.slice(0, 14)));
        await Promise.all(Array.from({ length: engine.parallelConnections }, openAnother));
        assert.deepEqual(await recorded(database), names);
      } finally {
        await close();
      }
    });

    for (const [title, names] of [
      ['the first eleven migrations', ['0001_accounts_uploads_usage', '0002_renders_idempotency']],
      ['only some of the joined migrations', namesBeforeJoined.slice(0, 13)],
    ] as const) {
      test(`a database with ${title} is refused with what to do, and is not changed`, async () => {
        const { database, execute, openAnother, close } = await engine.open();
        try {
          await execute(recordOnly(names));
          await assert.rejects(openAnother(), {
            message:
              'the database was written by an early version of Tintype, from before its first release; start the last commit that has ' +
              'the folder test/storage/eleven-migrations once, then this version (docs/self-hosting/upgrade.md says how)',
          });
          assert.deepEqual(await recorded(database), names);
        } finally {
          await close();
        }
      });
    }

    test('a database of the version before keeps its renders and leases, which then have one output and one unit', async () => {
      const { database, execute, openAnother, close } = await engine.open();
      try {
        const account = accountRow();
        await database.tables.accounts.insert(account);
        await execute(`${undoVersion2};
          insert into renders (id, account_id, kind, target, failure, options, content_type, size_bytes, sha256, hosted, created_at)
          values ('made', '${account.id}', 'pdf', 'https://example.com/?a=b', null, '{}', 'application/pdf', 7, 'hash', 1, 5),
            ('failed', '${account.id}', 'screenshot', 'https://example.com/', 'no', '{}', 'image/png', null, null, 0, 6);
          insert into render_leases (id, account_id, expires_at) values ('lease', '${account.id}', 9)`);
        const { renders, renderLeases } = (await openAnother()).tables;
        const [made, failed] = [await renders.byId('made'), await renders.byId('failed')];
        assert.deepEqual(
          [made?.units, made?.outputs, failed?.units, failed?.outputs, made?.receipt, failed?.receipt],
          [1, 1, 0, 0, null, null],
        );
        assert.deepEqual(toStoredRender(made!), {
          id: 'made',
          state: 'succeeded',
          reference: null,
          createdAt: 5,
          finishedAt: 5,
          expiresAt: null,
          units: 1,
          durationMs: null,
          source: 'url',
          url: 'https://example.com/',
          timing: null,
          page: null,
          outputs: [
            {
              id: 'made',
              format: 'pdf',
              contentType: 'application/pdf',
              isHosted: true,
              sizeBytes: 7,
              sha256: 'hash',
              width: null,
              height: null,
              pages: null,
              truncated: false,
              text: null,
            },
          ],
          failure: null,
        });
        const { failure, outputs, units } = toStoredRender(failed!);
        const told = { reason: null, field: null, message: 'no', requestId: null };
        assert.deepEqual([failure, outputs, units], [told, [], 0]);
        assert.deepEqual({ ...(await renderLeases.live(account.id, 8)) }, { leases: 1, units: 1, queued: 0 });
        assert.deepEqual(
          await renders.keysOf(['made', 'failed']),
          new Map([
            ['failed', []],
            ['made', ['made']],
          ]),
        );
      } finally {
        await close();
      }
    });

    test('the version before goes on while this one migrates: its rows are taken, and read by this one', async () => {
      const { database, execute, openAnother, close } = await engine.open();
      try {
        const account = accountRow();
        await database.tables.accounts.insert(account);
        await execute(undoVersion2);
        /** What the version before writes, with the columns that it knows. */
        const write = (number: number) =>
          execute(`
            insert into accounts (id, email, plan, verified, suspended, overages, created_at)
            values ('account${number}', 'old${number}@example.com', 'free', 1, 0, 0, 1);
            insert into uploads (id, slug, account_id, filename, content_type, size_bytes, sha256, delete_token_hash, created_at)
            values ('upload${number}', 'slug${number}', '${account.id}', 'a.png', 'image/png', 7, 'hash', 'token', ${number});
            insert into renders (id, account_id, kind, target, failure, options, content_type, size_bytes, sha256, hosted, created_at)
            values ('render${number}', '${account.id}', 'pdf', 'https://example.com/', null, '{}', 'application/pdf', 7, 'hash', 1, 5);
            insert into render_leases (id, account_id, expires_at) values ('lease${number}', '${account.id}', 9)`);
        await write(1);
        const { tables } = await openAnother();
        await write(2);
        const [first, second] = [await tables.renders.byId('render1'), await tables.renders.byId('render2')];
        assert.deepEqual({ ...second, id: 'render1' }, { ...first });
        assert.deepEqual(
          { ...(await tables.renderLeases.live(account.id, 8)) },
          { leases: 2, units: 2, queued: 0 },
        );
        const uploads = await Promise.all(['slug1', 'slug2'].map((slug) => tables.uploads.bySlug(slug)));
        assert.deepEqual(
          uploads.map((upload) => [upload?.tags, upload?.password_hash, upload?.album_id]),
          [
            ['[]', null, null],
            ['[]', null, null],
          ],
        );
        assert.equal((await tables.accounts.byEmail('old2@example.com'))?.allowed_hosts, '');
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

test('migrations only add, so that the version before can go on while this one starts', () => {
  const adds = [
    /^create (table|index|unique index) /,
    /^alter table \w+ add column \w+ \w+( references \w+ \(\w+\) on delete set null)?$/,
    /^alter table \w+ add column \w+ \w+ not null default \S+$/,
    // Of rows that are there.
    /^update \w+ set /,
  ];
  const statements = laterMigrations.flatMap(([, list]) => list);
  assert.ok(statements.length > 40);
  assert.deepEqual(
    statements.filter((statement) => !adds.some((form) => form.test(statement))),
    [],
  );
});

function recordOnly(names: readonly string[]): string {
  const rows = names.map(
    (name, index) => `('${name}', '2026-11-18T00:00:00.${String(index).padStart(3, '0')}Z')`,
  );
  return `delete from kysely_migration; insert into kysely_migration (name, timestamp) values ${rows.join(', ')}`;
}

/** Makes a database one of these migrations; what came after the fourteenth is taken out if it is not among them. */
function undoJoining(names: readonly string[]): string {
  const undo =
    names.length === 14
      ? ['alter table uploads drop column views', 'alter table request_log drop column kind']
      : [];
  const later = [
    'drop index uploads_shown',
    'drop index uploads_sha256',
    'drop index renders_unsuccessful',
    'alter table webhook_deliveries drop column render_id',
    'alter table request_log drop column field',
  ];
  return [...later, ...undo, recordOnly(names)].join('; ');
}

/** Makes a database one of the version before. */
const undoVersion2 = [
  ...['attempts', 'deliveries', 'endpoints', 'secrets'].map((name) => `drop table webhook_${name}`),
  'drop table plans',
  'drop table key_addresses',
  'drop table link_keys',
  'drop table render_flights',
  'drop index uploads_sha256',
  'drop index renders_unsuccessful',
  'drop index renders_cache',
  'alter table renders drop column cache_key',
  'alter table accounts drop column webhook_events',
  'alter table accounts drop column allowed_hosts',
  'drop table upload_tags',
  'drop table upload_links',
  'drop index uploads_album',
  'drop index uploads_shown',
  'alter table uploads drop column album_id',
  'drop table albums',
  'drop table render_jobs',
  'drop table render_queues',
  'alter table renders drop column state',
  ...['title', 'tags', 'metadata_removed', 'password_hash', 'views_left', 'views'].map(
    (column) => `alter table uploads drop column ${column}`,
  ),
  'drop index credentials_at_provider',
  'drop table variants',
  'drop index renders_reference',
  ...['reference', 'units', 'outputs', 'receipt', 'finished_at'].map(
    (column) => `alter table renders drop column ${column}`,
  ),
  ...['units', 'key_id'].map((column) => `alter table render_leases drop column ${column}`),
  ...['uploads', 'renders'].map((unit) => `alter table api_keys drop column ${unit}_per_month`),
  'alter table request_log drop column kind',
  'alter table request_log drop column field',
  "delete from kysely_migration where name > '0002'",
].join('; ');

async function recorded({ connection }: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    connection,
  );
  return rows.map(({ name }) => name);
}
