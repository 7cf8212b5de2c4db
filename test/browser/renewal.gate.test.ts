// A newer browser takes the place of the present one while renders run, and only if it passes its tests. The source of browsers is fake; the
// browsers, their workers and the cache are real.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fetchChromium } from '#browser/install/fetch-chromium.ts';
import { keptBrowsers } from '#browser/install/kept-browsers.ts';
import { releaseOf } from '#browser/install/releases.ts';
import { readSystem } from '#browser/install/system.ts';
import { fetchNewer, type StartOptions } from '#browser/start-chromium.ts';
import { plainWaits, startTestBrowser } from '#test/support/browser.ts';
import { fakeSource, type Broken } from '#test/support/fake-source.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { accept, openFolder, silent } from './fetch-kit.ts';

/** Longer than the tests of a browser take on a busy machine. */
const patientMs = 120_000;
let server: PageServer;
before(async () => {
  server = await startPageServer({ '/page': '<!doctype html><p>page' });
});
after(() => server.close());

const end = `-${readSystem().id}-${process.arch}`;
const folderNames = (cache: string): string[] =>
  readdirSync(cache)
    .filter((name) => name.endsWith(end))
    .map((name) => name.slice(0, -end.length));

/** A cache with a browser of this version, and the command on it. */
async function startWith(version: string, cache: string) {
  const source = fakeSource(version);
  const results = await temporaryFolder();
  const options: StartOptions = {
    executable: undefined,
    folders: [],
    cacheFolder: cache,
    resultsFolder: results.path,
    ways: [source],
    log: silent,
  };
  const renew = () => fetchNewer(options);
  // It need not pass its tests: it is the one that other tests have, behind a script.
  const untested = { cacheFolder: cache, environment: {}, log: silent, check: accept };
  assert.equal((await fetchChromium({ ...untested, ways: [source] }))?.version, version);
  return { source, renew, untested, remove: results.remove };
}

test('a render that runs ends with its browser, the next one has the newer browser, and the files of the old one are removed', async () => {
  using cache = openFolder();
  const { source, renew, remove } = await startWith('998.0.1.1', cache.path);
  const kit = await startTestBrowser([server.host], { cacheFolder: cache.path });
  const requested = Promise.withResolvers<() => void>();
  server.route('/slow', (_, response) => requested.resolve(() => response.end('<!doctype html><p>slow')));
  try {
    assert.equal(kit.browser.about.version, '998.0.1.1');
    const slow = kit.render(`${server.base}/slow`, {
      waits: { ...plainWaits, navigationMs: patientMs },
      timeoutMs: patientMs,
    });
    // Its failure is that of the test below.
    slow.catch(() => {});
    const answer = await requested.promise;
    source.offer('998.0.1.20');
    const { before: old, fetched } = await renew();
    assert.deepEqual([old?.version, fetched?.version], ['998.0.1.1', '998.0.1.20']);
    assert.deepEqual(folderNames(cache.path).toSorted(), ['fake-998.0.1.1', 'fake-998.0.1.20']);
    await kit.browser.renew();
    assert.equal(kit.browser.about.version, '998.0.1.20');
    // The one that renders, and perhaps the spare one.
    const { replaced } = kit.browser.workerCounts();
    assert.ok(replaced > 0);
    // Beside the render that runs, another one of the same account has the newer browser.
    await kit.shoot(`${server.base}/page`);
    assert.equal(kit.browser.workerCounts().lost, 0);
    assert.equal(folderNames(cache.path).length, 2, 'the old one is in use');
    answer();
    await using ended = await slow;
    assert.equal(ended.page.status, 200);
    await waitFor('the old files are removed', () => folderNames(cache.path).length === 1);
    assert.deepEqual(folderNames(cache.path), ['fake-998.0.1.20']);
    await kit.browser.renew();
    assert.equal(kit.browser.workerCounts().replaced, replaced, 'nothing newer, nothing replaced');
    const ages = kit.logged.filter(({ message }) => message.includes(', released on '));
    assert.deepEqual(
      ages.map(({ level, message }) => `${level}: ${message}`),
      ['998.0.1.1', '998.0.1.20'].map(
        (version) =>
          `info: the browser is chrome-headless-shell ${version}, released on ${releaseOf(version).toISOString().slice(0, 10)}`,
      ),
    );
  } finally {
    await kit.close();
    await remove();
  }
  assert.deepEqual(
    readdirSync(cache.path).filter((name) => name.includes('.user-')),
    [],
    'nobody says any more that it is in use',
  );
});

const refusals: [Broken | 'no download', RegExp][] = [
  ['Page.captureScreenshot', /failed the test of a picture: /],
  ['Page.printToPDF', /failed the test of a PDF: /],
  ['wall', /failed the test of the egress wall and the fonts: .* reach the network past the egress proxy/],
  ['no download', /a fake source: the download ended early$/],
];
for (const [broken, reason] of refusals)
  test(`a newer browser is not kept, and the error says why: ${broken}`, async () => {
    using cache = openFolder();
    const { source, renew, remove } = await startWith('160.0.1.1', cache.path);
    source.offer('161.0.1.1', broken);
    await assert.rejects(renew(), reason);
    assert.deepEqual(folderNames(cache.path), ['fake-160.0.1.1']);
    assert.equal((await keptBrowsers(cache.path, readSystem())).length, 1);
    await remove();
  });

test('an older browser is not even fetched', async () => {
  using cache = openFolder();
  const { source, renew, remove } = await startWith('160.0.1.1', cache.path);
  source.offer('159.9.9.9');
  const { before: present, fetched } = await renew();
  assert.deepEqual([present?.version, fetched, source.fetches], ['160.0.1.1', null, 1]);
  await remove();
});

test('the start warns of an old browser; a newer one that fails in the service itself is left, and not tried again', async () => {
  using cache = openFolder();
  const { untested, remove } = await startWith('130.0.1.1', cache.path);
  const kit = await startTestBrowser([server.host], { cacheFolder: cache.path });
  try {
    // As if it had passed elsewhere.
    const other = fakeSource('161.0.1.1');
    other.offer('161.0.1.1', 'wall');
    assert.equal((await fetchChromium({ ...untested, ways: [other] }))?.version, '161.0.1.1');
    const [warning] = kit.logged.filter(({ level }) => level === 'warn');
    assert.match(
      warning?.message ?? '',
      /^the browser is old and lacks security fixes: chrome-headless-shell 130\.0\.1\.1, released on 2024-10-15, \d+ days ago; to renew it: npx tintype browser renew$/,
    );
    const refused = () => kit.logged.filter(({ message }) => message.startsWith('a browser is not used'));
    await kit.browser.renew();
    await kit.browser.renew();
    assert.equal(refused().length, 1);
    assert.match(refused()[0]!.message, /past the egress proxy/);
    assert.deepEqual([kit.browser.about.version, kit.browser.workerCounts().replaced], ['130.0.1.1', 0]);
    await kit.shoot(`${server.base}/page`);
  } finally {
    await kit.close();
    await remove();
  }
});

test('the files of an old browser stay while a process uses them, also one of another machine', async () => {
  using cache = openFolder();
  const { source, renew, remove } = await startWith('160.0.1.1', cache.path);
  const folder = join(cache.path, `fake-160.0.1.1${end}`);
  const here = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_');
  const mark = (user: string) => writeFileSync(`${folder}.user-${user}`, '');
  mark('another-1-1');
  source.offer('160.0.1.2');
  await renew();
  assert.equal(folderNames(cache.path).length, 2);
  // Of a process that cannot exist.
  mark(`${here}-999999999-1`);
  source.offer('160.0.1.3');
  await renew();
  assert.deepEqual(folderNames(cache.path).toSorted(), ['fake-160.0.1.1', 'fake-160.0.1.3']);
  assert.deepEqual(
    readdirSync(cache.path).filter((name) => name.includes('.user-')),
    [`fake-160.0.1.1${end}.user-another-1-1`],
  );
  await remove();
});
