// npx tintype migrate-data: many uploads (rows are moved 500 at a time), interrupted, complete and compared.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hashSecret } from '#core/ids.ts';
import { openPostgres } from '#storage/postgres.ts';
import type { UploadRow } from '#storage/schema.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { command } from '#test/support/commands.ts';
import { startPostgres, type TestPostgres } from '#test/support/postgres.ts';
import { root, spawnServe } from '#test/support/processes.ts';
import { s3Credentials, startS3, type TestS3 } from '#test/support/s3.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { accountRow, eventRow, uploadRow } from '#test/storage/rows.ts';

const uploads = 1_200;
const interruptions = 2;
let postgres: TestPostgres;
let s3: TestS3;
let folder: string;
let dataDir: string;
let rows: UploadRow[];
const account = accountRow();

before(async () => {
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  folder = await mkdtemp(join(tmpdir(), 'tintype-migrate-'));
  dataDir = join(folder, 'data');
  rows = await makeInstallation();
});
after(async () => {
  await postgres?.stop();
  await s3?.stop();
  await rm(folder, { recursive: true, force: true });
});

const bytesOf = (id: string): string => `the bytes of ${id}`;

async function makeInstallation(): Promise<UploadRow[]> {
  const database = await openSqlite(join(dataDir, 'tintype.db'));
  const made = Array.from({ length: uploads }, () => {
    const row = uploadRow(account.id);
    return { ...row, sha256: hashSecret(bytesOf(row.id)) };
  });
  await database.transaction(async (tables) => {
    await tables.accounts.insert(account);
    for (const row of made) {
      await tables.uploads.insert(row);
      await tables.usage.record({ ...eventRow(account.id, '2026-11'), source_id: row.id });
    }
  });
  await database.close();
  for (const { id } of made) {
    const fanOut = join(dataDir, 'blobs', 'uploads', 'store', id.slice(0, 2));
    await mkdir(fanOut, { recursive: true });
    await writeFile(join(fanOut, id), bytesOf(id));
  }
  return made;
}

const argumentsFor = (databaseUrl: string, storageUrl: string): string[] => [
  'migrate-data',
  '--to-database',
  databaseUrl,
  '--to-storage',
  storageUrl,
];
const environmentFor = (folderOfData: string) => ({ ...s3Credentials, DATA_DIR: folderOfData });

test(`${uploads} uploads, interrupted ${interruptions} times, arrive whole; a target in use is left alone`, async () => {
  const databaseUrl = await postgres.newDatabase();
  const storageUrl = s3.newStorageUrl();
  const args = argumentsFor(databaseUrl, storageUrl);
  const before = await s3.objects();
  for (let interruption = 0; interruption < interruptions; interruption += 1) {
    const killed = [process.execPath, join(root, 'bin', 'tintype.js'), ...args];
    const run = await spawnServe(environmentFor(dataDir), killed);
    await waitFor(
      'a good part to be copied',
      async () => (await s3.objects()) - before >= 150 * (interruption + 1),
    );
    await run.end('SIGKILL');
  }
  const last = await command(args, environmentFor(dataDir));
  assert.equal(last.code, 0, last.stderr);
  const [, inThisRun] =
    new RegExp(`${uploads} files of uploads \\((\\d+) in this run\\)`).exec(last.stdout) ?? [];
  // Zero when the kill came after the last file, as on a busy machine.
  assert.ok(Number(inThisRun) < uploads - 100, `${inThisRun} in the last run`);
  assert.match(last.stdout, new RegExp(`${uploads} rows of uploads, counted`));
  assert.match(last.stdout, /complete/);

  const database = await openPostgres(databaseUrl);
  try {
    const sample = rows.filter((_, index) => index % 120 === 0);
    for (const row of sample) {
      assert.deepEqual(await database.tables.uploads.byId(row.id), {
        ...row,
        owner_suspended: 0,
        owner_webhook_events: '',
      });
    }
    const counter = { accountId: account.id, unit: 'upload', month: '2026-11' } as const;
    assert.equal((await database.tables.usage.sumOfLedger(counter)).used, uploads);

    await database.tables.uploads.insert(uploadRow(account.id, { created_at: Date.now() + 1_000 }));
    const refused = await command(args, environmentFor(dataDir));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is in use: .*; nothing was changed/);
  } finally {
    await database.close();
  }
});

test('a file that does not match its checksum stops the move before the rows', async () => {
  const [databaseUrl, storageUrl] = [await postgres.newDatabase(), s3.newStorageUrl()];
  const damaged = rows[7]?.id ?? '';
  const other = await mkdtemp(join(folder, 'damaged-'));
  const database = await openSqlite(join(other, 'tintype.db'));
  await database.tables.accounts.insert(account);
  await database.tables.uploads.insert({ ...uploadRow(account.id), id: damaged });
  await database.close();
  const fanOut = join(other, 'blobs', 'uploads', 'store', damaged.slice(0, 2));
  await mkdir(fanOut, { recursive: true });
  await writeFile(join(fanOut, damaged), 'rotten');
  const run = await command(argumentsFor(databaseUrl, storageUrl), environmentFor(other));
  assert.equal(run.code, 1);
  assert.match(
    run.stderr,
    new RegExp(`1 files of uploads do not match their checksums, for example ${damaged}`),
  );
  const target = await openPostgres(databaseUrl);
  assert.equal(await target.tables.accounts.isEmpty(), true);
  await target.close();
});

test('the variables and options are named when they are wrong', async () => {
  const cases: [string[], Record<string, string>, RegExp][] = [
    [
      ['migrate-data', '--to-storage', 'http://x', '--to-database', 'postgres://127.0.0.1/x'],
      {},
      /invalid --to-storage/,
    ],
    [['migrate-data'], { DATABASE_URL: 'postgres://127.0.0.1/x' }, /starts from one machine/],
    [['backup', '/x'], { DATABASE_URL: 'postgres://127.0.0.1/x' }, /backup works on one machine only/],
    [['backup'], {}, /takes one folder/],
  ];
  await Promise.all(
    cases.map(async ([args, environment, message]) => {
      const { code, stdout, stderr } = await command(args, { DATA_DIR: dataDir, ...environment });
      assert.notEqual(code, 0);
      assert.equal(stdout, '');
      assert.match(stderr, message);
      assert.equal(stderr.trim().split('\n').length, 1);
    }),
  );
});
