// The checksums that a move to another store compares files with: of every output of a render.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqliteSource } from '#storage/copy-rows.ts';
import { allDatabaseEngines } from '#test/storage/engines.ts';
import { accountRow, renderRow, uploadRow } from '#test/storage/rows.ts';

test('a file has the checksum of its upload or output; one that nobody knows has none', async () => {
  const [sqlite] = allDatabaseEngines;
  const { database, environment, close } = await sqlite!.open();
  try {
    const account = accountRow();
    await database.tables.accounts.insert(account);
    const upload = uploadRow(account.id, { sha256: 'upload' });
    const old = renderRow(account.id, { sha256: 'old' });
    const several = renderRow(account.id, {
      sha256: 'first',
      outputs: 2,
      receipt: JSON.stringify({ outputs: [{ sha256: 'first' }, { sha256: 'second' }] }),
    });
    await database.tables.uploads.insert(upload);
    await database.tables.renders.insert(old);
    await database.tables.renders.insert(several);
    const source = openSqliteSource(join(environment['DATA_DIR']!, 'tintype.db'));
    try {
      assert.deepEqual(
        [upload.id, old.id, several.id, `${several.id}-1`, `${several.id}-2`, `${old.id}-1`, 'nobody-1'].map(
          source.checksumOf,
        ),
        ['upload', 'old', 'first', 'second', undefined, undefined, undefined],
      );
    } finally {
      source.close();
    }
  } finally {
    await close();
  }
});
