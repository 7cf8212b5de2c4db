// Migrations on every engine: repeatable, by many at once, never over a newer version's data.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { databaseEngines, type TestEngine } from '../support/database-engines.ts';
import { accountRow } from './suites/rows.ts';

for (const [name, start] of Object.entries(databaseEngines)) {
  describe(name, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await start();
    });
    after(() => engine?.stop());

    test('opening twice keeps what is there', async () => {
      const address = await engine.newDatabase();
      const row = accountRow();
      const first = await engine.open(address);
      await first.tables.accounts.insert(row);
      await first.close();
      const second = await engine.open(address);
      assert.equal((await second.tables.accounts.byEmail(row.email))?.id, row.id);
      await second.close();
    });

    test('four processes that start at once on an empty database all come up', async () => {
      const address = await engine.newDatabase();
      const script = `
        const { open${name === 'sqlite' ? 'Sqlite' : 'Postgres'}: open } = await import('#storage/${name}.ts');
        const database = await open(${JSON.stringify(address)});
        await database.ping();
        await database.close();`;
      await Promise.all(
        Array.from({ length: 4 }, () =>
          promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]),
        ),
      );
      const database = await engine.open(address);
      assert.equal(await database.tables.accounts.isEmpty(), true);
      await database.close();
    });

    test('a database of a newer version is refused, and the message says so', async () => {
      const address = await engine.newDatabase();
      await (await engine.open(address)).close();
      await execute(
        address,
        `insert into kysely_migration (name, timestamp) values ('9999_from_the_future', '2030')`,
      );
      await assert.rejects(
        engine.open(address),
        /written by a newer version of Tintype: it has the migration "?9999_from_the_future"?, which this version/,
      );
    });
  });
}

async function execute(address: string, text: string): Promise<void> {
  if (!address.startsWith('postgres:')) {
    const database = new DatabaseSync(address);
    database.exec(text);
    database.close();
    return;
  }
  const client = new Client({ connectionString: address });
  await client.connect();
  await client.query(text);
  await client.end();
}
