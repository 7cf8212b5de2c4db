// If the system has no browser, one is fetched, checked and kept, and never left incomplete.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fetchNewer } from '#browser/start-chromium.ts';
import { distributionWay } from '#browser/install/distribution-chromium.ts';
import { fetchChromium } from '#browser/install/fetch-chromium.ts';
import type { FetchWay } from '#browser/install/fetch-way.ts';
import { npmWay } from '#browser/install/npm-chromium.ts';
import { trustIn } from '#browser/install/playwright-chromium.ts';
import { run } from '#browser/install/run.ts';
import { describeSystem, readSystem } from '#browser/install/system.ts';
import { examineDownload } from '#roof/doctor.ts';
import { startTestBrowser } from '#test/support/browser.ts';
import { startDownloadHost } from '#test/support/download-host.ts';
import { fakeSource } from '#test/support/fake-source.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { accept, fetchElsewhere, openFolder, silent } from './fetch-kit.ts';

const withoutFonts = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('fonts-'));

test("Playwright's build is fetched, logged with its size, checked and used; the next start fetches nothing", async () => {
  using cache = openFolder();
  await using host = await startDownloadHost();
  const options = { executable: undefined, cacheFolder: cache.path, fetchEnvironment: host.environment };
  const first = await startTestBrowser([], options);
  const { about } = first.browser;
  await first.close();
  assert.match(about.source, /Playwright/);
  assert.ok(about.path.startsWith(cache.path));
  const says =
    /^no checksum is published .*; it came from http:\/\/127\.0\.0\.1:\d+, without TLS; set were (.*)$/;
  const [, variables = ''] = says.exec(about.trust ?? '') ?? [];
  assert.ok(variables.split(', ').includes('PLAYWRIGHT_DOWNLOAD_HOST'), about.trust ?? '');
  assert.doesNotMatch(variables, /OVERRIDE|PATH|:\/\//, 'neither other variables nor values');
  assert.deepEqual(examineDownload(about), [{ check: 'download', ok: true, found: about.trust }]);
  const announced =
    first.logged.find(({ message }) => message.startsWith('fetching a browser'))?.message ?? '';
  assert.match(announced, /chrome-headless-shell [\d.]+ from 127\.0\.0\.1:\d+, 2(\.\d)? MiB, into /);
  const second = await startTestBrowser([], options);
  await second.close();
  assert.equal(second.browser.about.path, about.path);
  assert.equal(second.browser.about.trust, about.trust, 'it is recorded');
  assert.equal(host.downloads, 1);
  assert.equal(withoutFonts(cache.path).length, 1);
});

test('the one from npm is used when no other source can be reached, until a newer one has passed its tests', async (context) => {
  const npm = await npmWay();
  if ((await npm.newest({ environment: {}, tell() {}, temporary: '' })) === null)
    return context.skip('npm has none for this machine');
  using cache = openFolder();
  await using host = await startDownloadHost();
  host.mode = 'none';
  const options = { executable: undefined, cacheFolder: cache.path, fetchEnvironment: host.environment };
  const kit = await startTestBrowser([], options);
  const { about } = kit.browser;
  await kit.close();
  assert.equal(about.source, 'npm (@sparticuz/chromium), kept in the cache');
  assert.match(withoutFonts(cache.path).join(), /^npm-[^,]*$/);
  const newer = fakeSource('999.0.1.2');
  const results = await temporaryFolder();
  context.after(results.remove);
  const renewal = { ...options, folders: [], resultsFolder: results.path, ways: [newer, npm], log: silent };
  newer.offer('999.0.1.2', 'wall');
  await assert.rejects(fetchNewer(renewal), /failed the test of the egress wall/);
  assert.match(withoutFonts(cache.path).join(), /^npm-[^,]*$/);
  newer.offer('999.0.1.2');
  const { before, fetched } = await fetchNewer(renewal);
  assert.deepEqual([before?.version, fetched?.version], [about.version, '999.0.1.2']);
  assert.match(withoutFonts(cache.path).join(), /^fake-[^,]*$/);
});

test('what is known of a download that cannot be checked', () => {
  const address = 'https://cdn.example/builds/shell.zip';
  assert.match(
    trustIn(address, { PATH: '/bin', HTTPS_PROXY: '' }),
    /from https:\/\/cdn\.example, trusted for its TLS certificate; no proxy or mirror was set$/,
  );
  assert.match(trustIn(address, { HTTPS_PROXY: 'http://a:secret@proxy' }), /; set were HTTPS_PROXY$/);
});

test('a process waits while another one fetches, and nothing is fetched twice', async () => {
  using cache = openFolder();
  await using host = await startDownloadHost();
  host.mode = 'half';
  const first = fetchElsewhere(cache.path, host.environment);
  await once(host.events, 'half');
  const second = fetchElsewhere(cache.path, host.environment);
  const [line] = await once(createInterface({ input: second.stdout }), 'line');
  assert.match(String(line), /waiting for it/);
  host.events.emit('resume');
  assert.deepEqual(await Promise.all([once(first, 'exit'), once(second, 'exit')]), [
    [0, null],
    [0, null],
  ]);
  assert.equal(host.downloads, 1);
});

test('the newest of all sources is fetched; one that does not run or fails its checks is not kept, and the next newest is tried', async () => {
  using cache = openFolder();
  let made = 0;
  const way = (name: string, version: string, prints = version): FetchWay => ({
    title: name,
    name,
    newest: () => Promise.resolve(version),
    fill(draft) {
      made += 1;
      const executable = join(draft, 'chrome-headless-shell');
      writeFileSync(executable, `#!/bin/sh\necho ${prints}\n`, { mode: 0o755 });
      return Promise.resolve({ executable, libraryFolders: [] });
    },
  });
  const warnings: string[] = [];
  const options = {
    cacheFolder: cache.path,
    environment: {},
    log: { ...silent, warn: (_: object, message: string) => void warnings.push(message) },
    ways: [way('old', '1.0'), way('stub', '10.0', 'install-me'), way('leaky', '3.0'), way('good', '2.0')],
    check: ({ source }: { source: string }) =>
      source.startsWith('leaky') ? Promise.reject(new Error('it reaches the network')) : Promise.resolve(),
  };
  const good = `good-2.0-${readSystem().id}-${process.arch}`;
  assert.equal((await fetchChromium(options))?.source, 'good, kept in the cache');
  assert.deepEqual(warnings, [
    'no browser from stub: it does not run here: it does not print its version',
    'no browser from leaky: it reaches the network',
  ]);
  assert.deepEqual(readdirSync(cache.path), [good]);
  assert.equal(made, 3);
  const newest = { ...options, ways: [way('old', '1.0'), way('good', '2.0')], newerThan: '2.0' };
  assert.equal(await fetchChromium(newest), null);
  assert.equal(made, 3, 'what is not newer is not fetched');
});

test("Debian's packages are unpacked without root, with the libraries that the system lacks", async (context) => {
  if (spawnSync('apt-get', ['--version']).error || spawnSync('dpkg-deb', ['--version']).error) {
    return context.skip('there is no apt on this machine');
  }
  using folder = openFolder();
  using cache = openFolder();
  const build = (name: string, depends: string, files: Record<string, string>) => {
    const tree = join(folder.path, name);
    const control = [
      `Package: ${name}`,
      'Version: 99:1.0',
      'Architecture: all',
      'Maintainer: a <a@example.com>',
    ];
    const all = {
      ...files,
      'DEBIAN/control': `${[...control, ...(depends ? [`Depends: ${depends}`] : []), 'Description: x'].join('\n')}\n`,
    };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(join(tree, path, '..'), { recursive: true });
      writeFileSync(join(tree, path), text, { mode: 0o755 });
    }
    const { status, stderr } = spawnSync('dpkg-deb', ['--build', tree, join(folder.path, 'repository')]);
    assert.equal(status, 0, String(stderr));
  };
  const repository = join(folder.path, 'repository');
  mkdirSync(repository);
  build('chromium-headless-shell', 'chromium-common, libtintype-test1', {
    'usr/lib/chromium/resources.pak': 'of windows',
    'usr/lib/chromium/chromium-headless-shell': '#!/bin/sh\necho "Chromium 1.2.3.4 $LD_LIBRARY_PATH"\n',
    'usr/bin/chromium-headless-shell': '#!/bin/sh\nexit 1\n',
  });
  build('chromium-common', '', { 'usr/lib/chromium/icudtl.dat': 'data', 'usr/share/doc/x': 'paper' });
  build('libtintype-test1', '', { 'usr/lib/libtintype-test.so.1': 'library' });
  const archives = readdirSync(repository);
  const packages = archives.map((file) => {
    const control = spawnSync('dpkg-deb', ['--field', join(repository, file)], { encoding: 'utf8' }).stdout;
    const sum = spawnSync('sha256sum', [join(repository, file)], { encoding: 'utf8' }).stdout.slice(0, 64);
    const size = spawnSync('stat', ['-c', '%s', join(repository, file)], { encoding: 'utf8' }).stdout.trim();
    return `${control.trim()}\nFilename: ./${file}\nSize: ${size}\nSHA256: ${sum}\n`;
  });
  writeFileSync(join(repository, 'Packages'), packages.join('\n'));
  writeFileSync(join(folder.path, 'sources.list'), `deb [trusted=yes] copy:${repository} ./\n`);
  const settings = join(folder.path, 'apt.conf');
  writeFileSync(
    settings,
    `Dir::Etc::sourcelist "${join(folder.path, 'sources.list')}";\nDir::Etc::sourceparts "-";\n`,
  );
  const messages: string[] = [];
  const chromium = await fetchChromium({
    cacheFolder: cache.path,
    environment: { PATH: process.env['PATH'] ?? '', APT_CONFIG: settings },
    check: accept,
    log: { ...silent, info: (_: object, message: string) => void messages.push(message) },
    newerThan: '0.9',
    ways: [distributionWay(readSystem())],
  });
  assert.ok(chromium);
  assert.equal(basename(chromium.folder ?? ''), `packages-1.0-${readSystem().id}-${process.arch}`);
  assert.match(chromium.executable, /\/system\/usr\/lib\/chromium\/chromium-headless-shell$/);
  assert.match(chromium.libraryFolder ?? '', /\/system\/usr\/lib$/);
  assert.match(messages.join(), /chromium-headless-shell and what it needs, [\d,]+ B, into /);
  const kept = readdirSync(join(chromium.executable, '..'));
  assert.deepEqual(kept.toSorted(), ['chromium-headless-shell', 'icudtl.dat']);
  assert.deepEqual(readdirSync(join(chromium.executable, '..', '..', '..')), ['lib']);
  assert.ok(!readdirSync(join(chromium.executable, '..', '..', '..', '..', '..')).includes('archives'));
});

test('a program that hangs is ended after its limit, and the error names the limit', async () => {
  const environment = { PATH: '/usr/bin:/bin' };
  await assert.rejects(
    run('sleep', ['600'], { environment, timeoutMs: 200 }),
    /^Error: it took longer than 0.2 s$/,
  );
});

test('each system has its own advice, in one line', () => {
  const cases: [NodeJS.Platform, string, RegExp, boolean][] = [
    [
      'linux',
      'ID=debian\nVERSION_ID="13"\nPRETTY_NAME="Debian GNU/Linux 13"',
      /apt install chromium-headless-shell/,
      true,
    ],
    ['linux', 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"', /playwright-core install-deps/, true],
    ['linux', 'ID=raspbian\nID_LIKE=debian', /apt install/, true],
    ['linux', 'ID=fedora\nVERSION_ID=42', /dnf install chromium-headless/, false],
    ['linux', 'ID="rocky"\nID_LIKE="rhel centos fedora"', /dnf install/, false],
    ['linux', 'ID=arch', /pacman/, false],
    ['linux', 'ID=alpine', /apk add chromium/, false],
    ['linux', '', /package manager/, false],
    ['darwin', '', /brew install/, false],
    ['win32', '', /WSL/, false],
  ];
  for (const [platform, release, advice, hasApt] of cases) {
    const system = describeSystem(platform, release);
    assert.match(system.advice, advice);
    assert.equal(system.hasApt, hasApt, release);
    assert.doesNotMatch(system.advice + system.renewal, /\n/);
  }
  assert.equal(describeSystem('linux', cases[0]![1]).id, 'debian-13');
});
