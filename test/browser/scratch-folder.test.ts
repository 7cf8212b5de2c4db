// A browser's folder that cannot be removed when the browser ends: it is logged, the service continues, and it is removed later.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createScratchFolder } from '#browser/process/scratch-folder.ts';
import { startTestBrowser } from '#lab/support/browser.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import { browsers, scratchFolders } from '#lab/support/process-table.ts';
import { waitFor } from '#lab/support/wait-for.ts';

/** Root may remove anything except a mount point. */
function makeUnremovable(folder: string): () => void {
  const held = join(folder, 'held');
  mkdirSync(held);
  if (process.getuid?.() === 0) {
    execFileSync('mount', ['-t', 'tmpfs', 'none', held]);
    return () => execFileSync('umount', [held]);
  }
  writeFileSync(join(held, 'file'), '');
  chmodSync(held, 0o500);
  return () => chmodSync(held, 0o700);
}

test('a folder that cannot be removed is logged, does no harm, and is removed with the next one', async (context) => {
  const site = await startPageServer({ '/': '<!doctype html><p>Hello' });
  const kit = await startTestBrowser([site.host], { concurrency: 1 });
  let isClosed = false;
  context.after(async () => {
    if (!isClosed) await kit.close();
    await site.close();
  });
  const [name] = scratchFolders();
  const release = makeUnremovable(join(tmpdir(), name!));
  process.kill(browsers()[0]!.pid, 'SIGKILL');
  await kit.shoot(`${site.base}/`);
  const isTold = () => kit.logged.some(({ message }) => message.includes('could not be removed yet'));
  await waitFor('a line in the log', isTold);
  assert.ok(scratchFolders().includes(name!));
  release();
  await kit.close();
  isClosed = true;
  assert.deepEqual(scratchFolders(), []);
});

test('its path leaves room for the socket of a full Chromium, also in a temporary folder of 27 characters', async () => {
  const folder = createScratchFolder(null);
  const below = folder.path.slice(tmpdir().length);
  await folder.remove();
  const socket = `${below}/tmp/org.chromium.Chromium.XXXXXX/SingletonSocket`;
  // 107 characters is the longest path of a socket on Linux.
  assert.ok(27 + socket.length <= 107, `${socket} has ${socket.length} characters`);
});
