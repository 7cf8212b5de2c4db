// npx tintype browser: makes sure that there is a browser that works, fetching one where the machine has none, and says which it is.
import { parseArgs } from 'node:util';
import type { BrowserAbout, Log } from '#browser/browser.ts';
import { createEgressRules } from '#browser/egress/rules.ts';
import { readConfig } from '#roof/config.ts';
import { openBrowser } from '#roof/engines.ts';

export const browserUsage = `  browser [--renew]                                 fetch a browser where there is none, and say which is used;
                                                    --renew fetches a newer one in the place of a fetched one
`;

const dayMs = 24 * 60 * 60_000;

export async function runBrowserCommand(args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { renew: { type: 'boolean' }, json: { type: 'boolean' } } });
  const rules = createEgressRules({ allow: [] });
  const browser = await openBrowser(readConfig(), rules, onStderr, { renew: values.renew === true });
  await browser.close();
  return values.json === true ? JSON.stringify(browser.about) : describeBrowser(browser.about);
}

export function describeBrowser({ name, version, source, path, installedAt, renewal }: BrowserAbout): string {
  const days = Math.floor((Date.now() - installedAt.getTime()) / dayMs);
  const age = days < 1 ? 'installed today' : `installed ${days} day${days === 1 ? '' : 's'} ago`;
  return `${name} ${version} from ${source}, ${age} (${path}); to renew it: ${renewal}`;
}

/** What takes time is said while it happens. */
const onStderr: Log = {
  info(_, message) {
    if (message !== 'the browser is ready') process.stderr.write(`${message}\n`);
  },
  warn: (_, message) => void process.stderr.write(`${message}\n`),
  error: (_, message) => void process.stderr.write(`${message}\n`),
};
