// A Chromium as a worker starts it, without the worker: for what looks at the browser itself.
import { installFonts } from '#browser/install/fonts.ts';
import {
  launchChromium,
  type ChromiumProcess,
  type LaunchOptions,
} from '#browser/process/chromium-process.ts';
import { createBrowserFolder } from '#browser/process/browser-folder.ts';
import { browserUser } from '#browser/process/unprivileged.ts';
import { cacheFolder, chromiumUnderTest } from '#lab/support/browser.ts';

export async function launchBareChromium(
  options: Partial<Pick<LaunchOptions, 'fontsFile' | 'withoutFlags'>> = {},
): Promise<ChromiumProcess> {
  const user = browserUser();
  const chromium = await chromiumUnderTest();
  const scratch = createBrowserFolder(chromium.kind, user);
  const launched = await launchChromium({
    chromium,
    fontsFile: await installFonts(cacheFolder),
    folder: scratch.path,
    user,
    sandboxed: true,
    ...options,
  });
  return {
    ...launched,
    async close() {
      await launched.close();
      await scratch.remove();
    },
  };
}
