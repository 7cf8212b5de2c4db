// Fetches of a browser that are cut off or refused: no partial folder is left, and the reason is logged. Playwright's installer
// tries five times and is started for each test, which makes them slow.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fetchChromium } from '#browser/install/fetch-chromium.ts';
import { keptBrowsers } from '#browser/install/kept-browsers.ts';
import { playwrightWay } from '#browser/install/playwright-chromium.ts';
import { readSystem } from '#browser/install/system.ts';
import { startDownloadHost } from '#test/support/download-host.ts';
import { accept, fetchElsewhere, openFolder, silent } from './fetch-kit.ts';

test('kill -9 in the middle of a download: the installer ends too, nothing partial is left, and the next download is complete', async () => {
  using cache = openFolder();
  await using host = await startDownloadHost();
  host.mode = 'half';
  const child = fetchElsewhere(cache.path, host.environment);
  await once(host.events, 'half');
  const [draft, ...others] = readdirSync(cache.path);
  assert.match(draft ?? '', /\.draft-/);
  assert.deepEqual(others, []);
  child.kill('SIGKILL');
  // A grandchild process holds the connection.
  await once(host.events, 'cut');
  assert.deepEqual(await keptBrowsers(cache.path, readSystem()), []);
  host.mode = 'whole';
  const { environment } = host;
  await fetchChromium({ cacheFolder: cache.path, environment, check: accept, log: silent });
  const [folder, ...more] = readdirSync(cache.path);
  assert.match(folder ?? '', /^playwright-[\d.]+-/);
  assert.doesNotMatch(folder ?? '', /draft/);
  assert.deepEqual(more, []);
});

test('a failed download is reported with its reason, and tried again at the next start', async () => {
  using cache = openFolder();
  await using host = await startDownloadHost();
  host.mode = 'none';
  const way = await playwrightWay(readSystem());
  const { environment } = host;
  const options = { cacheFolder: cache.path, environment, check: accept, log: silent, ways: [way] };
  await assert.rejects(fetchChromium(options), /Playwright's download: .*404.*no such build/);
  const tries = host.downloads;
  await assert.rejects(fetchChromium(options), /404/);
  assert.ok(host.downloads > tries);
});
