// kill -9 in the middle of a stream of uploads: what was acknowledged is there, the books agree, and nothing is left over.
// Spec 8; design section 6.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { newId } from '#core/ids.ts';
import type { UploadResult } from '#uploads/upload-result.ts';
import * as images from '#test/support/images.ts';
import { serveUntilReady, temporaryFolder, tintype, type ServeProcess } from '#test/support/processes.ts';
import { bearer, formOf } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';

const rounds = 3;
const clients = 8;
const maxUploads = 2_000;

test('kill -9 during a stream of uploads: every acknowledged one is there, no unit is lost or charged twice', async () => {
  const { path, remove } = await temporaryFolder();
  const environment = { DATA_DIR: path, LOG_LEVEL: 'error' };
  const blobs = join(path, 'blobs', 'uploads');
  let serving: ServeProcess | undefined;
  try {
    await tintype(['account', 'create', '--email', 'a@example.com', '--plan', 'business'], environment);
    const made = await tintype(['key', 'create', '--account', 'a@example.com', '--json'], environment);
    const { key } = JSON.parse(made.stdout) as { key: string };
    const picture = await images.png();
    const acknowledged = new Map<string, Buffer>();
    const deadPids: number[] = [];

    for (let round = 0; round < rounds; round += 1) {
      serving = await serveUntilReady(environment);
      const { child, origin } = serving;
      const killAt = acknowledged.size + 20 + round * 17;
      let started = 0;
      const client = async (): Promise<void> => {
        while (child.exitCode === null && child.signalCode === null && started < maxUploads) {
          started += 1;
          // Small ones stay in memory until they are committed; large ones are on disk while they come in.
          const padding = randomBytes(started % 3 === 0 ? 700_000 : 500);
          const bytes = Buffer.concat([picture, padding]);
          const result = await upload(origin, key, bytes);
          if (!result) return;
          acknowledged.set(result.slug, bytes);
          if (acknowledged.size >= killAt) child.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      await serving.end('SIGKILL');
      deadPids.push(child.pid ?? 0);
    }
    assert.ok(acknowledged.size >= 60, `only ${acknowledged.size} were acknowledged`);

    // A crash between rename and row, and one in the middle of a spool, for certain; and all of it an hour old.
    const orphan = newId();
    await mkdir(join(blobs, 'store', orphan.slice(0, 2)), { recursive: true });
    await writeFile(join(blobs, 'store', orphan.slice(0, 2), orphan), 'orphan');
    await writeFile(join(blobs, 'spool', `${deadPids[0]}-${newId()}`), 'half a file');
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    for (const file of await filesIn(join(blobs, 'store'))) await utimes(file.path, twoHoursAgo, twoHoursAgo);

    serving = await serveUntilReady(environment);
    const books = readBooks(join(path, 'tintype.db'));
    const stored = () =>
      filesIn(join(blobs, 'store')).then((files) => files.map(({ name }) => name).toSorted());
    await waitFor('the sweep', async () => {
      const [names, spools] = [await stored(), await readdir(join(blobs, 'spool'))];
      return names.length === books.uploads.length && spools.length === 0;
    });
    assert.deepEqual(
      await stored(),
      books.uploads,
      'every row has its bytes, and no bytes are without a row',
    );
    assert.deepEqual(
      books.ledger,
      books.uploads,
      'every upload has its unit, and no unit is without an upload',
    );
    assert.equal(books.counter, books.uploads.length);

    for (const [slug, bytes] of acknowledged) {
      const response = await fetch(`${serving.origin}/f/${slug}`);
      assert.equal(response.status, 200, slug);
      assert.ok(bytes.equals(Buffer.from(await response.arrayBuffer())), slug);
    }
    const unanswered = books.uploads.length - acknowledged.size;
    assert.ok(
      unanswered >= 0 && unanswered <= rounds * clients,
      `${unanswered} were stored but not answered`,
    );
  } finally {
    await serving?.end('SIGKILL');
    await remove();
  }
});

async function upload(origin: string, key: string, bytes: Buffer): Promise<UploadResult | undefined> {
  try {
    const response = await fetch(`${origin}/api/v1/upload`, {
      method: 'POST',
      body: formOf([[bytes, 'a.png']]),
      headers: bearer(key),
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as UploadResult;
  } catch (error) {
    // The connection died with the server; an answer that is no 201 is a failure of the test.
    assert.ok(error instanceof TypeError, String(error));
    return undefined;
  }
}

async function filesIn(folder: string): Promise<{ name: string; path: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => ({ name, path: join(parentPath, name) }));
}

function readBooks(file: string) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const column = (sql: string): string[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => String(row['id']));
    return {
      uploads: column('select id from uploads order by id').toSorted(),
      ledger: column('select source_id as id from usage_events order by source_id').toSorted(),
      counter: Number(database.prepare('select sum(used) as used from usage_counters').get()?.['used']),
    };
  } finally {
    database.close();
  }
}
