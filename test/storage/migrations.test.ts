// Migrations on every engine: repeatable, and by many processes at once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tintype } from '#lab/support/processes.ts';
import { databaseEngines } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';

for (const engine of databaseEngines) {
  describe(`migrations on ${engine.name}`, () => {
    test('opening again keeps what is there', async () => {
      const { database, openAnother, close } = await engine.open();
      try {
        const row = accountRow();
        await database.tables.accounts.insert(row);
        assert.equal((await (await openAnother()).tables.accounts.byEmail(row.email))?.id, row.id);
      } finally {
        await close();
      }
    });

    test('four processes that start at once on an empty database all come up', async () => {
      const { environment, remove } = await engine.newPlace();
      try {
        const runs = await Promise.all(
          [1, 2, 3, 4].map((n) =>
            tintype(['account', 'create', '--email', `user${n}@example.com`, '--json'], environment),
          ),
        );
        for (const { code, stderr } of runs) assert.deepEqual([code, stderr], [0, '']);
        const { stdout } = await tintype(['account', 'list', '--json'], environment);
        assert.equal((JSON.parse(stdout) as unknown[]).length, 4);
      } finally {
        await remove();
      }
    });
  });
}
