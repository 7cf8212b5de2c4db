// npx tintype browser: makes sure that a working browser is installed, downloads one if there is none, and reports which it is.
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { BrowserAbout, Log } from '#browser/browser.ts';
import { readConfig } from '#roof/config.ts';
import { openBrowser } from '#roof/engines.ts';

export const browserUsage = `  browser [--renew]                                 download a browser if there is none, and show which is used;
                                                    --renew replaces a downloaded browser with a newer one
`;

const dayMs = 24 * 60 * 60_000;

export async function runBrowserCommand(args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { renew: { type: 'boolean' }, json: { type: 'boolean' } } });
  const options = { renew: values.renew === true, resultsFolder: tmpdir() };
  const browser = await openBrowser(readConfig(), onStderr, options);
  await browser.close();
  return values.json === true ? JSON.stringify(browser.about) : describeBrowser(browser.about);
}

export function describeBrowser({ name, version, source, path, installedAt, renewal }: BrowserAbout): string {
  const days = Math.floor((Date.now() - installedAt.getTime()) / dayMs);
  const age = days < 1 ? 'installed today' : `installed ${days} day${days === 1 ? '' : 's'} ago`;
  return `${name} ${version} from ${source}, ${age} (${path}); to renew it: ${renewal}`;
}

function print(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Progress goes to stderr while the download runs; stdout has only the result. */
const onStderr: Log = {
  info(_, message) {
    if (message !== 'the browser is ready') print(message);
  },
  warn: (_, message) => print(message),
  error: (_, message) => print(message),
};
