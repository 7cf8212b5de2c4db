// What a start of the browser finds out: missing fonts, a sandbox that cannot work, and a fault that has passed.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEgressDoor } from '#wall/door.ts';
import { createPhase, startStepMs } from '#browser/process/deadline.ts';
import { testDrawing } from '#browser/worker/drawing-test.ts';
import { openPage } from '#browser/page/page.ts';
import { launchBareChromium } from '#test/support/bare-chromium.ts';
import { startTestBrowser } from '#test/support/browser.ts';
import { falteringChromium, sandboxlessChromium } from '#test/support/wrapped-chromium.ts';
import { openFolder } from './fetch-kit.ts';

test('a browser without fonts is detected', async () => {
  using folder = openFolder();
  const fontsFile = join(folder.path, 'fonts.conf');
  writeFileSync(fontsFile, '<?xml version="1.0"?><fontconfig></fontconfig>', { mode: 0o644 });
  const blank = await launchBareChromium({ fontsFile });
  const fonts = await launchBareChromium();
  const phase = createPhase(new AbortController().signal, startStepMs, () => new Error('too long'));
  try {
    for (const [process, expected] of [
      [blank, ['Latin', 'CJK', 'emoji']],
      [fonts, []],
    ] as const) {
      const door = await openEgressDoor();
      const viewport = { width: 400, height: 600 };
      const page = await openPage({ process, door, viewport }, phase.signal);
      assert.deepEqual((await testDrawing(page, phase.signal)).blankScripts, expected);
      await door.close();
    }
  } finally {
    phase.end();
    await Promise.all([blank.close(), fonts.close()]);
  }
});

test('a system where the sandbox cannot work: the browser runs, and the log says so', async () => {
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

test('a start that fails for another reason is retried with the sandbox on, never without it', async () => {
  const once = await falteringChromium(1);
  const kit = await startTestBrowser([], { executable: once.path });
  assert.equal(kit.browser.about.sandboxed, true);
  await kit.close();
  await once.remove();
  const always = await falteringChromium(1_000);
  await assert.rejects(startTestBrowser([], { executable: always.path }), /out of memory/);
  await always.remove();
});
