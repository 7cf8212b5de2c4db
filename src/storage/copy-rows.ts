// Copies every row of a SQLite database to Postgres in one transaction, which replaces the rows of an earlier run. The rows of
// every table are counted before the commit.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { parseOutputKey } from '#core/ids.ts';

const batchRows = 500;

/** A snapshot of the rows: later writes of a running service are not seen. */
export function openSqliteSource(file: string) {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  database.exec('begin');
  const tables = tablesInOrder(database).map((name) => ({
    name,
    rows: Number(database.prepare(`select count(*) as count from ${quote(name)}`).get()?.['count']),
  }));
  const checksums = database.prepare(
    'select sha256 from uploads where id = ?1 union all select sha256 from renders where id = ?1 ' +
      'union all select sha256 from variants where key = ?1',
  );
  const receipts = database.prepare('select receipt from renders where id = ?');

  function checksumOf(key: string): string | undefined {
    const { id, place } = parseOutputKey(key) ?? { id: key, place: 0 };
    if (place === 0) return checksums.get(id)?.['sha256'] as string | undefined;
    const { outputs } = JSON.parse(String(receipts.get(id)?.['receipt'] ?? '{"outputs":[]}')) as {
      outputs: { sha256: string }[];
    };
    return outputs[place]?.sha256;
  }

  async function copyTable(client: Client, name: string, onRows: (rows: number) => void): Promise<void> {
    let batch: Record<string, unknown>[] = [];
    for (const row of database.prepare(`select * from ${quote(name)}`).iterate()) {
      batch.push(row);
      if (batch.length === batchRows) await send();
    }
    await send();

    async function send(): Promise<void> {
      const columns = Object.keys(batch[0] ?? {})
        .map(quote)
        .join(', ');
      // Postgres converts each value to the type of its column.
      const insert =
        `insert into ${quote(name)} (${columns}) ` +
        `select ${columns} from jsonb_populate_recordset(null::${quote(name)}, $1::jsonb)`;
      if (batch.length > 0) await client.query(insert, [JSON.stringify(batch)]);
      onRows(batch.length);
      batch = [];
    }
  }

  return {
    tables,
    /** The checksum recorded for a file. */
    checksumOf,
    /** Rejects if a fleet has written to the target since. */
    checkTarget: (postgresUrl: string): Promise<void> =>
      withClient(postgresUrl, (client) => refuseUsedTarget(client, database)),
    async copyTo(postgresUrl: string, onProgress: (done: number, total: number) => void): Promise<void> {
      const total = tables.reduce((sum, { rows }) => sum + rows, 0);
      let done = 0;
      await withClient(postgresUrl, async (client) => {
        await client.query('begin');
        await refuseUsedTarget(client, database);
        for (const { name } of tables.toReversed()) await client.query(`delete from ${quote(name)}`);
        for (const { name, rows } of tables) {
          await copyTable(client, name, (count) => onProgress((done += count), total));
          const counted = await client.query<{ count: string }>(
            `select count(*) as count from ${quote(name)}`,
          );
          if (Number(counted.rows[0]?.count) !== rows)
            throw new Error(`not all rows of ${name} were copied; nothing was changed`);
        }
        await client.query('commit');
      });
    },
    close: (): void => database.close(),
  };
}

async function withClient(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** A second run must not overwrite what a fleet has written since the first. */
async function refuseUsedTarget(client: Client, database: DatabaseSync): Promise<void> {
  const newest = (text: string): number => Number(database.prepare(text).get()?.['newest'] ?? 0);
  for (const table of ['accounts', 'usage_events', 'uploads', 'renders']) {
    const text = `select max(created_at) as newest from ${table}`;
    const there = Number((await client.query<{ newest: string | null }>(text)).rows[0]?.newest ?? 0);
    if (there > newest(text)) {
      throw new Error(
        `the target database is in use: it has ${table} newer than this installation's; nothing was changed`,
      );
    }
  }
}

/** A table comes after the tables that its rows reference. */
function tablesInOrder(database: DatabaseSync): string[] {
  const names = database
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'",
    )
    .all()
    .map(({ name }) => String(name));
  const ordered = new Set<string>();
  function add(name: string, path: string[] = []): void {
    for (const { table } of database.prepare(`pragma foreign_key_list(${quote(name)})`).all()) {
      const target = String(table);
      if (target !== name && !path.includes(target)) add(target, [...path, name]);
    }
    ordered.add(name);
  }
  for (const name of names) add(name);
  return [...ordered];
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
