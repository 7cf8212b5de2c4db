// The Chromium that the service itself uses, driven by Playwright: for our own pages that a person would open.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { installFonts } from '#browser/install/fonts.ts';
import { cacheFolder, chromiumUnderTest } from '#test/support/browser.ts';

export async function launchTestChromium(
  args: string[] = [],
): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const { executable, libraryFolder } = await chromiumUnderTest();
  const home = await mkdtemp(join(tmpdir(), 'tintype-chromium-'));
  const browser = await chromium.launch({
    executablePath: executable,
    // Playwright cannot start it as another user, and as root Chromium refuses its sandbox. Only our own pages are opened.
    args: ['--no-sandbox', '--disable-component-update', ...args],
    env: {
      FONTCONFIG_FILE: await installFonts(cacheFolder),
      HOME: home,
      TMPDIR: home,
      ...(libraryFolder !== null && { LD_LIBRARY_PATH: libraryFolder }),
    },
  });
  return {
    browser,
    async close() {
      await browser.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
