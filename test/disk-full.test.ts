// A disk that takes no more: an honest 500, nothing half stored, no unit charged. Spec 7, 8.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import * as images from '#test/support/images.ts';
import { root, serveUntilReady, temporaryFolder, tintype } from '#test/support/processes.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';

// Large enough for what the browser writes at its start.
const fileLimitBytes = 8 * 1024 * 1024;

test('7 a file that the disk does not take whole: 500 internal, and it leaves nothing', async () => {
  const { path, remove } = await temporaryFolder();
  const environment = { DATA_DIR: path, LOG_LEVEL: 'error' };
  await tintype(['account', 'create', '--email', 'a@example.com', '--plan', 'pro'], environment);
  const made = await tintype(['key', 'create', '--account', 'a@example.com', '--json'], environment);
  const { key } = JSON.parse(made.stdout) as { key: string };
  // A limit on the size of files behaves like a full disk: the write that meets it is short, the next one fails.
  const serving = await serveUntilReady(environment, [
    'bash',
    '-c',
    `ulimit -f ${fileLimitBytes / 1024} && exec node "$0" serve`,
    join(root, 'bin', 'tintype.js'),
  ]);
  try {
    const send = async (bytes: Buffer) =>
      post(`${serving.origin}/api/v1/upload`, { body: formOf([[bytes, 'a.png']]), headers: bearer(key) });
    // One byte too many is the case in which only the last write is short, and nothing reports an error.
    for (const sizeBytes of [fileLimitBytes + 1, fileLimitBytes + 100_000, fileLimitBytes + 1024 * 1024]) {
      const answer = await send(await images.pngOfSize(sizeBytes));
      assert.deepEqual([answer.status, answer.body.error?.code], [500, 'internal'], `${sizeBytes} bytes`);
      assert.equal(answer.headers.get('x-service-quota-limit'), null);
    }
    const fits = await send(await images.pngOfSize(fileLimitBytes));
    assert.equal(fits.status, 201);
    assert.equal(fits.headers.get('x-service-quota-remaining'), '99999', 'the first unit of all');
    assert.deepEqual(await readdir(join(path, 'blobs', 'uploads', 'spool')), []);
    const stored = await readdir(join(path, 'blobs', 'uploads', 'store'), {
      recursive: true,
      withFileTypes: true,
    });
    assert.equal(stored.filter((entry) => entry.isFile()).length, 1);
  } finally {
    await serving.end('SIGKILL');
    await remove();
  }
});
