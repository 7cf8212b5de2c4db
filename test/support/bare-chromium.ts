// A Chromium as a worker starts it, without the worker: for what looks at the browser itself.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFonts } from '#browser/install/fonts.ts';
import { launchChromium, type ChromiumProcess } from '#browser/process/chromium-process.ts';
import { createBrowserFolder } from '#browser/process/browser-folder.ts';
import { browserUser } from '#browser/process/unprivileged.ts';
import { cacheFolder, chromiumUnderTest } from '#test/support/browser.ts';

/** `without`: arguments that are kept from the browser, to break its walls. */
export async function launchBareChromium({
  without = [],
  ...options
}: { fontsFile?: string; without?: string[] } = {}): Promise<ChromiumProcess> {
  const user = browserUser();
  const chromium = await chromiumUnderTest();
  const scratch = createBrowserFolder(chromium.kind, user);
  const executable = join(scratch.path, 'chromium');
  if (without.length > 0)
    writeFileSync(executable, withoutArguments(chromium.executable, without), { mode: 0o755 });
  const launched = await launchChromium({
    chromium: without.length === 0 ? chromium : { ...chromium, executable },
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

/** A shell script that starts the program without these arguments. */
function withoutArguments(program: string, dropped: string[]): string {
  const pattern = dropped.map((argument) => `'${argument}'`).join('|');
  return `#!/bin/sh
for argument do
  shift
  case "$argument" in ${pattern}) ;; *) set -- "$@" "$argument" ;; esac
done
exec '${program}' "$@"
`;
}
