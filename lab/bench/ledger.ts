// The cost of a unit when the ledger is long: inserts into a Postgres ledger of generated rows, compared with a table that has
// the keys of earlier versions (a random id, a unique source, account and time). It counts pages and bytes of the log, including
// full pages written after a checkpoint, because these are the same on a busy machine and an idle one.
import { Client } from 'pg';
import { newId } from '#core/ids.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { openPostgres } from '#storage/postgres.ts';
import { cpuMs } from '#test/support/process-table.ts';
import { startPostgres } from '#test/support/postgres.ts';

const benchmark = 'ledger';
const accounts = 1_000;
/** Rows of the two ledgers; a row takes about 190 bytes of disk in the first and 330 in the second. */
const sizes = (process.env['LEDGER_ROWS'] ?? '100000,2000000').split(',').map(Number);
/** Beyond this, filling the table with random keys takes hours, which is what the other key avoids. */
const mostRandom = 2_000_000;
/** From this many new rows on, the key is built after the rows. */
const manyRows = 5_000_000;
const inserts = 3_000;
const rowsPerFill = 1_000_000;
/** Chosen so that the time of a generated row is its number. */
const month = '2026-01';

interface Cost {
  pagesRead: number;
  walKilobytes: number;
  cpuMs: number;
}

const shapes = { 'by account and time': 'usage_events', 'by random ids': 'events_by_random_id' };
type Shape = keyof typeof shapes;

export async function benchLedger(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startPostgres({ isDurable: true });
  try {
    const url = await postgres.newDatabase();
    await (await openPostgres(url)).close();
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return await measure(client, say);
    } finally {
      await client.end();
    }
  } finally {
    await postgres.stop();
  }
}

async function measure(client: Client, say: (line: string) => void): Promise<Figure[]> {
  await prepare(client);
  const figures: Figure[] = [];
  const costs = new Map<string, Cost>();
  const first = sizes[0] ?? 0;
  for (const rows of sizes) {
    for (const shape of Object.keys(shapes) as Shape[]) {
      if (shape === 'by random ids' && rows > mostRandom) continue;
      say(`${rows.toLocaleString('en')} rows, ${shape}`);
      await fill(client, shapes[shape], rows);
      const cost = await insertSome(client, shapes[shape], rows);
      costs.set(`${shape} ${rows}`, cost);
      say(
        `  ${cost.pagesRead.toFixed(2)} pages read, ${cost.walKilobytes.toFixed(2)} KB of log and ${cost.cpuMs.toFixed(3)} ms of CPU time for an insert`,
      );
    }
    const ours = costs.get(`by account and time ${rows}`);
    const before = costs.get(`by random ids ${rows}`);
    const few = costs.get(`by account and time ${first}`);
    const name = `insert into ${rows.toLocaleString('en')} rows`;
    for (const [against, theirs] of [
      ['keys by random ids', before],
      [`${first.toLocaleString('en')} rows`, few],
    ] as const) {
      if (!ours || !theirs || ours === theirs) continue;
      const goal = theirs === few && { goal: { atMost: 1.2 } };
      const described = { benchmark, against, ...goal };
      figures.push(
        figure(
          { ...described, subject: `${name}, log written`, unit: 'KB' },
          [ours.walKilobytes],
          [theirs.walKilobytes],
        ),
        figure(
          { ...described, subject: `${name}, CPU time of Postgres`, unit: 'ms' },
          [ours.cpuMs],
          [theirs.cpuMs],
        ),
      );
    }
  }
  return figures;
}

async function prepare(client: Client): Promise<void> {
  await client.query(`
    insert into accounts (id, email, plan, verified, suspended, overages, created_at)
    select 'account' || lpad(n::text, 13, '0'), n || '@example.com', 'business', 1, 0, 0, 0 from generate_series(0, ${accounts - 1}) n`);
  await client.query(`
    create table events_by_random_id (id text primary key, account_id text not null references accounts (id) on delete cascade,
      key_id text, unit text not null, month text not null, source_id text not null unique, overage integer not null,
      created_at bigint not null);
    create index events_by_random_id_account_time on events_by_random_id (account_id, created_at)`);
}

/** Fills up to this many rows and keeps existing ones; the indexes are those of the product. */
async function fill(client: Client, table: string, rows: number): Promise<void> {
  const {
    rows: [there],
  } = await client.query<{ next: string }>(`select coalesce(max(created_at) + 1, 0) as next from ${table}`);
  const [idColumn, idValue] =
    table === 'usage_events' ? ['', ''] : ['id, ', "substr(md5('i' || n), 1, 20), "];
  const first = Number(there?.next);
  const isLong = table === 'usage_events' && rows - first >= manyRows;
  // Foreign keys are not checked and commits do not wait for the disk: only the inserts that follow are measured.
  await client.query(
    "set session_replication_role = 'replica'; set maintenance_work_mem = '1GB'; set synchronous_commit = 'off'",
  );
  await configure(client, { fsync: 'off', max_wal_size: '4GB' });
  if (isLong) await client.query('alter table usage_events drop constraint usage_events_pkey');
  for (let from = first; from < rows; from += rowsPerFill) {
    await client.query(`
      insert into ${table} (${idColumn}account_id, key_id, unit, month, source_id, overage, created_at)
      select ${idValue}'account' || lpad((n % ${accounts})::text, 13, '0'), 'k', 'upload', '${month}', substr(md5('s' || n), 1, 20), 0, n
      from generate_series(${from}, ${Math.min(rows, from + rowsPerFill) - 1}) n`);
  }
  if (isLong)
    await client.query('alter table usage_events add primary key (account_id, created_at, source_id)');
  await configure(client, { fsync: 'on', max_wal_size: '1GB' });
  await client.query("set session_replication_role = 'origin'");
}

async function configure(client: Client, settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await client.query(`alter system set ${name} = '${value}'`);
  await client.query('select pg_reload_conf()');
}

async function insertSome(client: Client, table: string, rows: number): Promise<Cost> {
  const {
    rows: [backend],
  } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = backend?.pid ?? 0;
  await client.query('checkpoint');
  const before = await countsOf(client, table);
  const cpuMsBefore = cpuMs(pid);
  for (let n = 0; n < inserts; n += 1) {
    const account = `account${String((n * 7) % accounts).padStart(13, '0')}`;
    const values = [account, 'k', 'upload', month, newId(), 0, rows + n];
    await client.query({
      name: table,
      text:
        table === 'usage_events'
          ? 'insert into usage_events (account_id, key_id, unit, month, source_id, overage, created_at) values ($1, $2, $3, $4, $5, $6, $7)'
          : `insert into ${table} (account_id, key_id, unit, month, source_id, overage, created_at, id) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: table === 'usage_events' ? values : [...values, newId()],
    });
  }
  const usedMs = cpuMs(pid) - cpuMsBefore;
  const after = await countsOf(client, table);
  return {
    cpuMs: usedMs / inserts,
    pagesRead: (after.pages - before.pages) / inserts,
    walKilobytes: (after.walBytes - before.walBytes) / 1_024 / inserts,
  };
}

async function countsOf(client: Client, table: string): Promise<{ pages: number; walBytes: number }> {
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ pages: string; wal: string }>(
    `select heap_blks_read + idx_blks_read as pages, pg_current_wal_insert_lsn() - '0/0' as wal
      from pg_statio_user_tables where relname = '${table}'`,
  );
  return { pages: Number(rows[0]?.pages), walBytes: Number(rows[0]?.wal) };
}
