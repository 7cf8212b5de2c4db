// A real browser for tests, behind an egress proxy that allows only the test's own page servers.
import { readFile, rm } from 'node:fs/promises';
import { readConfig } from '#roof/config.ts';
import type { Browser, PdfJob, Rendered, ScreenshotJob } from '#browser/browser.ts';
import { createChromiumBrowser } from '#browser/chromium-browser.ts';
import type { ChromiumBrowserOptions } from '#browser/chromium-browser.ts';
import { parseEgressAllow } from '#browser/egress/allow-list.ts';
import { fetchedChromium } from '#browser/install/fetch-chromium.ts';
import { browserUser, reachableCache } from '#browser/process/unprivileged.ts';
import { findChromium } from '#browser/install/find-chromium.ts';
import { temporaryFolder } from '#lab/support/processes.ts';

/** Where the service keeps what it created or fetched. */
export const cacheFolder = await reachableCache(readConfig({}).cacheDir, browserUser());

/**
 * The browser under test: CHROMIUM_PATH if it is set, otherwise the one that a machine without a browser gets. It does not matter
 * which browsers this machine has.
 */
export const underTest = {
  explicitPath: readConfig().chromiumPath,
  folders: [],
  cacheFolder,
  async fetch() {
    const fetched = await fetchedChromium(cacheFolder);
    if (fetched === null) throw new Error('run "npm run setup" first');
    return fetched;
  },
};
export const chromiumUnderTest = () => findChromium(underTest);

export interface RenderedBytes {
  bytes: Buffer;
}

export interface TestBrowser {
  readonly browser: Browser;
  readonly logged: { level: string; details: object; message: string }[];
  shoot(url: string, job?: Partial<ScreenshotJob>, signal?: AbortSignal): Promise<RenderedBytes>;
  print(url: string, job?: Partial<PdfJob>, signal?: AbortSignal): Promise<RenderedBytes>;
  close(): Promise<void>;
}

export async function startTestBrowser(
  allow: string[],
  options: Partial<ChromiumBrowserOptions> = {},
): Promise<TestBrowser> {
  const egress = { allow: parseEgressAllow(allow.join(',')) };
  const logged: TestBrowser['logged'] = [];
  const note = (level: string) => (details: object, message: string) =>
    void logged.push({ level, details, message });
  const results = await temporaryFolder();
  const browser = await createChromiumBrowser({
    executable: underTest.explicitPath,
    folders: underTest.folders,
    cacheFolder,
    fetchEnvironment: readConfig().fetchEnvironment,
    resultsFolder: results.path,
    concurrency: 2,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    ...options,
  });
  return {
    browser,
    logged,
    shoot: async (url, job = {}, signal = never) =>
      takeBytes(await browser.screenshot({ ...plainScreenshot, url, egress, ...job }, signal)),
    print: async (url, job = {}, signal = never) =>
      takeBytes(await browser.pdf({ ...plainPdf, url, egress, ...job }, signal)),
    async close() {
      await browser.close();
      await results.remove();
    },
  };
}

/** Takes the file away, as the service does. */
async function takeBytes({ path }: Rendered): Promise<RenderedBytes> {
  const bytes = await readFile(path);
  await rm(path);
  return { bytes };
}

const never = new AbortController().signal;

const plainScreenshot = { fullPage: false, format: 'png', width: 1440, height: 900 } as const;

const plainPdf: Omit<PdfJob, 'url' | 'egress'> = {
  paperFormat: 'letter',
  landscape: false,
  printBackground: true,
  preferCssPageSize: false,
  scale: 1,
  marginInches: { top: 0, right: 0, bottom: 0, left: 0 },
  viewport: { width: 1440, height: 900 },
  waitUntil: 'load',
  delayMs: 0,
};
