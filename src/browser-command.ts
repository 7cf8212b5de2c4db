// npx tintype browser: makes sure that a working browser is installed, fetches one if there is none, and reports which it is. browser renew:
// fetches a newer one and tests it while the present one is in use.
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { BrowserAbout, Log } from '#browser/browser.ts';
import type { Chromium } from '#browser/install/chromium.ts';
import { daysSince, describeRelease, isOld, releaseOf } from '#browser/install/releases.ts';
import { readConfig } from '#roof/config.ts';
import { browserOptions, openBrowser } from '#roof/engines.ts';
import { UsageError } from '#roof/usage-error.ts';

export const browserUsage = `  browser                                           download a browser if there is none, and show which is used
  browser renew                                     download a newer one, test it, and use it from then on
`;

export async function runBrowserCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [action, ...more] = positionals;
  if ((action !== undefined && action !== 'renew') || more.length > 0)
    throw new UsageError(`unknown command "browser ${positionals.join(' ')}" (see npx tintype help)`);
  const { code, data, text } = await (action === 'renew' ? renew() : show());
  process.stdout.write(`${values.json === true ? JSON.stringify(data) : text}\n`);
  return code;
}

interface Outcome {
  code: number;
  data: object;
  text: string;
}

async function show(): Promise<Outcome> {
  const browser = await openBrowser(readConfig(), onStderr, { resultsFolder: tmpdir() });
  await browser.close();
  return { code: 0, data: browser.about, text: describeBrowser(browser.about) };
}

async function renew(): Promise<Outcome> {
  const { fetchNewer } = await import('#browser/start-chromium.ts');
  try {
    const options = await browserOptions(readConfig(), onStderr, { resultsFolder: tmpdir() });
    const { before, fetched } = await fetchNewer(options);
    const browser = fetched ?? before;
    const data = { renewed: fetched !== null, browser: view(browser), before: view(before) };
    if (fetched !== null) {
      const text = `${nameOf(fetched)} passed its tests; a running service takes it within a minute, without a restart`;
      return { code: 0, data, text };
    }
    return { code: 0, data, text: `nothing newer than ${nameOf(before)} can be had${adviceFor(before)}` };
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(`tintype: no browser was renewed, and the present one stays: ${message}\n`);
    return { code: 1, data: { renewed: false, problem: message }, text: 'not renewed' };
  }
}

/** What a source has is bound to the version of Tintype, unless it is the system's. */
const adviceFor = (chromium: Chromium | null): string =>
  chromium !== null && isOld(releaseOf(chromium.version), Date.now())
    ? '; it is old: upgrade Tintype (git pull, then npm start), which brings a newer one'
    : '';

const nameOf = (chromium: Chromium | null): string =>
  chromium === null
    ? 'none'
    : `the browser ${chromium.version} from ${chromium.source}, ` +
      describeRelease(releaseOf(chromium.version), Date.now());

function view(chromium: Chromium | null): object | null {
  if (chromium === null) return null;
  const { version, source, executable } = chromium;
  const releasedAt = releaseOf(version);
  return { version, source, path: executable, releasedAt, ageDays: daysSince(releasedAt, Date.now()) };
}

export function describeBrowser({ name, version, source, path, releasedAt, renewal }: BrowserAbout): string {
  const released = describeRelease(releasedAt, Date.now());
  return `${name} ${version} from ${source}, ${released} (${path}); to renew it: ${renewal}`;
}

function print(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Progress and warnings go to stderr while the command runs; stdout has only the result. */
const onStderr: Log = {
  info(details, message) {
    if ('cacheFolder' in details || 'folder' in details) print(message);
  },
  warn: (_, message) => print(message),
  error: (_, message) => print(message),
};
