// The Chromium that the service itself uses, driven by Playwright: for pages of ours that a person would open.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { findChromium } from '#browser/process/find-chromium.ts';
import { installFonts } from '#browser/process/fonts.ts';
import { readConfig } from '#roof/config.ts';

export async function launchTestChromium(
  args: string[] = [],
): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const { cacheDir } = readConfig({});
  const { executable, libraryFolder } = await findChromium({
    explicitPath: undefined,
    searchPath: '',
    cacheFolder: cacheDir,
  });
  const home = await mkdtemp(join(tmpdir(), 'tintype-chromium-'));
  const browser = await chromium.launch({
    executablePath: executable,
    // Playwright cannot start it as another user, and as root Chromium refuses its sandbox. Only pages of ours are opened.
    args: ['--no-sandbox', '--disable-component-update', ...args],
    env: {
      FONTCONFIG_FILE: await installFonts(cacheDir),
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
