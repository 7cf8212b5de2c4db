// Finding a browser, and visible text on a machine that has neither a browser nor fonts. start.gate.test.ts starts others.
import assert from 'node:assert/strict';
import { readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cachedFolder } from '#browser/install/cached-folder.ts';
import { fetchChromium } from '#browser/install/fetch-chromium.ts';
import type { FetchWay } from '#browser/install/fetch-way.ts';
import { findChromium } from '#browser/install/find-chromium.ts';
import { describeSystem } from '#browser/install/system.ts';
import { cacheFolder, useTestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { decode } from '#test/support/pixels.ts';
import { accept, openFolder, silent } from './fetch-kit.ts';

/** A program that claims to be a browser. */
function fakeBrowser(folder: string, name: string, version = '153.0.1.2'): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "Chromium ${version}"\n`, { mode: 0o755 });
  return path;
}

const noneKept = { explicitPath: undefined, cacheFolder: '/nonexistent' };

test('only the configured path is tried, and it is named if it does not run', async () => {
  using folder = openFolder();
  const nothing = { folders: [], cacheFolder };
  await assert.rejects(
    findChromium({ ...nothing, explicitPath: '/nonexistent/chrome' }),
    /CHROMIUM_PATH names "\/nonexistent\/chrome", which does not run/,
  );
  for (const [name, kind] of [
    ['chrome-headless-shell', 'headless-shell'],
    ['chromium', 'full'],
  ] as const) {
    const explicitPath = fakeBrowser(folder.path, name);
    const named = await findChromium({ ...nothing, explicitPath, folders: [folder.path] });
    assert.deepEqual([named.executable, named.kind, named.source], [explicitPath, kind, 'CHROMIUM_PATH']);
  }
  const link = join(folder.path, 'browser');
  symlinkSync(join(folder.path, 'chrome-headless-shell'), link);
  assert.equal((await findChromium({ ...nothing, explicitPath: link })).kind, 'headless-shell');
});

test('the newest headless-shell is used, wherever it is from; one that does not run or is not accepted is skipped', async () => {
  using folder = openFolder();
  using cache = openFolder();
  const way: FetchWay = {
    title: 'a source',
    name: 'source',
    newest: () => Promise.resolve('153.0.0'),
    fill: (draft) =>
      Promise.resolve({ executable: fakeBrowser(draft, 'chrome-headless-shell'), libraryFolders: [] }),
  };
  const kept = { cacheFolder: cache.path, environment: {}, check: accept, log: silent };
  await fetchChromium({ ...kept, ways: [way] });
  const options = { explicitPath: undefined, folders: [folder.path], cacheFolder: cache.path };
  const stub = join(folder.path, 'chrome-headless-shell');
  writeFileSync(stub, '#!/bin/sh\necho "install me first" >&2\nexit 1\n', { mode: 0o755 });
  assert.match((await findChromium(options)).source, /a source/);
  fakeBrowser(folder.path, 'headless-shell', '99.0.1.2');
  const fetched = await findChromium(options);
  assert.deepEqual([fetched.source, fetched.version], ['a source, kept in the cache', '153.0.1.2']);
  const newer = fakeBrowser(folder.path, 'chromium-headless-shell', '153.0.10.9');
  const found = await findChromium(options);
  assert.deepEqual([found.executable, found.source, found.version], [newer, 'the system', '153.0.10.9']);
  const tried: string[] = [];
  const last = await findChromium({
    ...options,
    async accept(_, { version }) {
      tried.push(version);
      if (tried.length < 3) throw new Error('it reaches the network');
    },
  });
  assert.deepEqual(tried, ['153.0.10.9', '153.0.1.2', '99.0.1.2']);
  assert.equal(last.version, '99.0.1.2');
});

test('without a headless-shell one is fetched; if that fails, a full Chromium of the system is used, or the error says what to do', async () => {
  using folder = openFolder();
  const full = fakeBrowser(folder.path, 'chromium');
  const fetched = { ...(await findChromium({ ...noneKept, folders: [folder.path] })), source: 'fetched' };
  const folders = [folder.path];
  const system = describeSystem('linux', 'ID=debian\nVERSION_ID="13"\n');
  const found = await findChromium({ ...noneKept, folders, fetch: () => Promise.resolve(fetched) });
  assert.equal(found.source, 'fetched');
  const fetch = () => Promise.reject(new Error('no way to the internet'));
  const last = await findChromium({ ...noneKept, folders, fetch });
  assert.deepEqual([last.executable, last.kind], [full, 'full']);
  await assert.rejects(findChromium({ ...noneKept, folders: [], fetch, system }), (error: Error) => {
    assert.match(error.message, /^No browser was found: run "sudo apt install chromium-headless-shell"/);
    assert.match(error.message, /no way to the internet/);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
});

test('a cached folder is created once, again if bytes are missing, and by many at once', async () => {
  using folder = openFolder();
  const target = join(folder.path, 'thing-1');
  let fills = 0;
  const fill = async (draft: string) => {
    fills += 1;
    writeFileSync(join(draft, 'content'), 'twelve bytes');
  };
  await cachedFolder(target, { fill });
  await cachedFolder(target, { fill });
  assert.equal(fills, 1);
  truncateSync(join(target, 'content'), 3);
  await Promise.all(Array.from({ length: 4 }, () => cachedFolder(target, { fill })));
  assert.equal(statSync(join(target, 'content')).size, 12);
  await assert.rejects(
    cachedFolder(join(folder.path, 'thing-2'), { fill: () => Promise.reject(new Error('no')) }),
    /no/,
  );
  assert.deepEqual(readdirSync(folder.path), ['thing-1']);
});

test('Latin, CJK and emoji are drawn with only the fonts from npm', async () => {
  const server = await startPageServer();
  const kit = await useTestBrowser([server.host]);
  try {
    const picture = await decode((await kit.shoot(`${server.base}/cjk-emoji.html`)).bytes);
    const inkIn = (top: number, bottom: number) => {
      const colours = new Set<string>();
      for (let y = top; y < bottom; y += 1) {
        for (let x = 32; x < 700; x += 1) colours.add(picture.at(x, y).join());
      }
      return colours;
    };
    // Lines of 54 px with 8 px between, from 40 px on.
    for (const line of [0, 1, 2, 3, 4, 6, 7, 8]) {
      assert.ok(inkIn(40 + line * 62, 94 + line * 62).size > 20, `line ${line} shows text`);
    }
    const emoji = [...inkIn(40 + 5 * 62, 94 + 5 * 62)].map((colour) => colour.split(',').map(Number));
    assert.ok(
      emoji.some(([red = 0, , blue = 0]) => red - blue > 120),
      'emoji are in colour',
    );
  } finally {
    await server.close();
  }
});
