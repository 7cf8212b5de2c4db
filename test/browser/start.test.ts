// Finding a browser, unpacking the one from npm, and text that can be seen on a machine that has neither browser nor
// fonts. Design section 5 (which browser).
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cachedFolder } from '#browser/process/cached-folder.ts';
import { launchChromium } from '#browser/process/chromium-process.ts';
import { createPhase } from '#browser/process/deadline.ts';
import { findChromium } from '#browser/process/find-chromium.ts';
import { installFonts } from '#browser/process/fonts.ts';
import { testDrawing } from '#browser/drawing-test.ts';
import { openPage } from '#browser/page/page.ts';
import { browserUser } from '#browser/process/unprivileged.ts';
import { cacheFolder, startTestBrowser } from '#lab/support/browser.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import { decode } from '#lab/support/pixels.ts';
import { sandboxlessChromium } from '#lab/support/wrapped-chromium.ts';

function temporaryFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'tintype-test-'));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test('a path that was named is tried alone, and told when it does not run', async () => {
  await assert.rejects(
    findChromium({ explicitPath: '/nonexistent/chrome', searchPath: '', cacheFolder }),
    /CHROMIUM_PATH names "\/nonexistent\/chrome", which does not run/,
  );
  const npm = await findChromium({ explicitPath: undefined, searchPath: '', cacheFolder });
  const named = await findChromium({ explicitPath: npm.executable, searchPath: '', cacheFolder });
  assert.deepEqual(
    [named.executable, named.kind, named.source],
    [npm.executable, 'headless-shell', 'CHROMIUM_PATH'],
  );
});

test('a headless-shell of the system goes before the one from npm; a stub that does not run is passed over', async () => {
  using folder = temporaryFolder();
  const stub = join(folder.path, 'chrome-headless-shell');
  writeFileSync(stub, '#!/bin/sh\necho "install me first" >&2\nexit 1\n', { mode: 0o755 });
  assert.match(
    (await findChromium({ explicitPath: undefined, searchPath: folder.path, cacheFolder })).source,
    /npm/,
  );
  writeFileSync(stub, '#!/bin/sh\necho "HeadlessChrome 153.0.1.2"\n', { mode: 0o755 });
  const found = await findChromium({ explicitPath: undefined, searchPath: folder.path, cacheFolder });
  assert.deepEqual([found.executable, found.source], [stub, 'the system']);
});

test('a cached folder is made once, made anew when bytes are missing, and by many at once', async () => {
  using folder = temporaryFolder();
  const target = join(folder.path, 'thing-1');
  let fills = 0;
  const fill = async (draft: string) => {
    fills += 1;
    writeFileSync(join(draft, 'content'), 'twelve bytes');
  };
  await cachedFolder(target, fill);
  await cachedFolder(target, fill);
  assert.equal(fills, 1);
  truncateSync(join(target, 'content'), 3);
  await Promise.all(Array.from({ length: 4 }, () => cachedFolder(target, fill)));
  assert.equal(statSync(join(target, 'content')).size, 12);
  await assert.rejects(
    cachedFolder(join(folder.path, 'thing-2'), () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.deepEqual(readdirSync(folder.path), ['thing-1']);
});

test('Latin, CJK and emoji are drawn with the fonts from npm alone', async () => {
  const server = await startPageServer();
  const kit = await startTestBrowser([server.host]);
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
    await kit.close();
    await server.close();
  }
});

test('a browser without fonts is found out', async () => {
  using folder = temporaryFolder();
  const fontsFile = join(folder.path, 'fonts.conf');
  writeFileSync(fontsFile, '<?xml version="1.0"?><fontconfig></fontconfig>', { mode: 0o644 });
  const chromium = await findChromium({ explicitPath: undefined, searchPath: '', cacheFolder });
  const kit = await startTestBrowser([]);
  const user = browserUser();
  const blank = await launchChromium({ chromium, fontsFile, user, sandboxed: true });
  const fonts = await launchChromium({
    chromium,
    fontsFile: await installFonts(cacheFolder),
    user,
    sandboxed: true,
  });
  const phase = createPhase(new AbortController().signal, 20_000, () => new Error('too long'));
  try {
    for (const [process, expected] of [
      [blank, ['Latin', 'CJK', 'emoji']],
      [fonts, []],
    ] as const) {
      const door = await kit.egress.openDoor();
      const viewport = { width: 400, height: 600 };
      const page = await openPage({ process, door, viewport, wasTooLarge: () => false }, phase.signal);
      assert.deepEqual((await testDrawing(page, phase.signal)).blankScripts, expected);
    }
  } finally {
    phase.end();
    await Promise.all([blank.close(), fonts.close(), kit.close()]);
  }
});

test('a system where the sandbox cannot work: the browser runs, and it is said plainly', async () => {
  const sandboxless = await sandboxlessChromium();
  const kit = await startTestBrowser([], { executable: sandboxless.path });
  try {
    const { about } = kit.browser;
    assert.equal(about.sandboxed, false);
    assert.match(about.sandboxProblem ?? '', /No usable sandbox/);
    const warning = kit.logged.find(({ level }) => level === 'warn');
    assert.match(warning?.message ?? '', /WITHOUT ITS SANDBOX/);
  } finally {
    await kit.close();
    await sandboxless.remove();
  }
});
