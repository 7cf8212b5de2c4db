// A real browser for tests, behind an egress proxy that allows only the test's own page servers.
import { readFile, rm } from 'node:fs/promises';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { readConfig } from '#roof/config.ts';
import type { Browser, Rendered } from '#browser/browser.ts';
import {
  noAccess,
  noChanges,
  plainPdf,
  plainPicture,
  plainView,
  type Job,
  type LifecycleEvent,
  type PdfOutput,
  type PictureFormat,
  type Viewport,
} from '#browser/job.ts';
import { limits } from '#core/limits.ts';
import { createChromiumBrowser } from '#browser/chromium-browser.ts';
import type { ChromiumBrowserOptions } from '#browser/chromium-browser.ts';
import { browserUser, reachableCache } from '#browser/process/unprivileged.ts';
import { findChromium } from '#browser/install/find-chromium.ts';
import { paperInches, type PaperFormat } from '#renders/paper.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { shared } from '#test/support/shared.ts';

/** Where the service keeps what it created or fetched. */
export const cacheFolder = await reachableCache(readConfig({}).cacheDir, browserUser());

/**
 * The browser under test: CHROMIUM_PATH if it is set, otherwise the one that a machine without a browser gets. It does not matter
 * which browsers this machine has.
 */
const underTest = {
  explicitPath: readConfig().chromiumPath,
  folders: [],
  cacheFolder,
};
export const chromiumUnderTest = () => findChromium(underTest);

interface RenderedBytes {
  bytes: Buffer;
}

/** What a screenshot of version 1 may say. */
interface ScreenshotJob extends Viewport, Pick<Job, 'account' | 'phases'> {
  fullPage: boolean;
  format: PictureFormat;
  navigationMs: number;
}

/** What a PDF of version 1 may say. */
export interface PdfJob extends Omit<PdfOutput, 'format' | 'paper'>, Pick<Job, 'account' | 'phases'> {
  paperFormat: PaperFormat;
  viewport: Viewport;
  waitUntil: LifecycleEvent;
  delayMs: number;
  navigationMs: number;
}

export interface TestBrowser {
  /** Any job, from a plain picture of this address. */
  render(url: string, job?: Partial<Job>, signal?: AbortSignal): Promise<Rendered>;
  shoot(url: string, job?: Partial<ScreenshotJob>, signal?: AbortSignal): Promise<RenderedBytes>;
  print(url: string, job?: Partial<PdfJob>, signal?: AbortSignal): Promise<RenderedBytes>;
  /** Where the browser writes what it makes. */
  readonly resultsFolder: string;
}

export interface OwnTestBrowser extends TestBrowser {
  readonly browser: Browser;
  readonly logged: { level: string; details: object; message: string }[];
  close(): Promise<void>;
}

/**
 * For tests of pages: one browser for all files of a process, because a start takes seconds of processor time. Each file says which servers
 * its pages may reach, and has the account's worker as the file before it left it.
 */
export async function useTestBrowser(allow: string[]): Promise<TestBrowser> {
  const { browser, resultsFolder } = await commonBrowser();
  return drive(browser, resultsFolder, allow);
}

const commonBrowser = shared(
  () => startTestBrowser([]),
  (kit) => kit.close(),
);

/** For tests of the browser as a process: one of its own. */
export async function startTestBrowser(
  allow: string[],
  options: Partial<ChromiumBrowserOptions> = {},
): Promise<OwnTestBrowser> {
  const logged: OwnTestBrowser['logged'] = [];
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
    ...drive(browser, results.path, allow),
    browser,
    logged,
    async close() {
      await browser.close();
      await results.remove();
    },
  };
}

function drive(browser: Browser, resultsFolder: string, allow: string[]): TestBrowser {
  const egress = { allow: parseEgressAllow(allow.join(',')) };
  const render: TestBrowser['render'] = (url, job = {}, signal = never) =>
    browser.render({ ...plainJob, source: { kind: 'url', url }, egress, ...job }, signal);
  return {
    resultsFolder,
    render,
    shoot: async (url, given = {}, signal = never) => {
      const { account, phases, format = 'png', fullPage = false, navigationMs, ...viewport } = given;
      const job = {
        view: { ...plainView, ...defaultViewport, ...viewport },
        waits: { ...plainWaits, ...(navigationMs !== undefined && { navigationMs }) },
        outputs: [{ ...plainPicture, format, fullPage }],
      };
      return takeBytes(await render(url, { ...job, ...callerOf({ account, phases }) }, signal));
    },
    print: async (url, given = {}, signal = never) => {
      const {
        account,
        phases,
        viewport = defaultViewport,
        waitUntil,
        delayMs = 0,
        navigationMs,
        ...output
      } = given;
      const { paperFormat = 'letter', ...rest } = output;
      const job = {
        view: { ...plainView, ...viewport },
        waits: {
          ...plainWaits,
          until: waitUntil ?? 'load',
          settles: false,
          delayMs,
          ...(navigationMs !== undefined && { navigationMs }),
        },
        outputs: [{ ...plainPdf, paper: paperInches[paperFormat], ...rest }],
        timeoutMs: limits.pdfTotalMs,
      };
      return takeBytes(await render(url, { ...job, ...callerOf({ account, phases }) }, signal));
    },
  };
}

const callerOf = ({
  account,
  phases,
}: {
  account?: string | undefined;
  phases?: Job['phases'] | undefined;
}) => ({
  ...(account !== undefined && { account }),
  ...(phases !== undefined && { phases }),
});

/** Takes the file away, as the service does. */
async function takeBytes({ outputs: [file] }: Rendered): Promise<RenderedBytes> {
  const bytes = await readFile(file!.path);
  await rm(file!.path);
  return { bytes };
}

const never = new AbortController().signal;
const defaultViewport = { width: limits.viewportWidth.default, height: limits.viewportHeight.default };
export const plainWaits: Job['waits'] = {
  until: 'settled',
  for: [],
  delayMs: 0,
  settles: true,
  failOn: [],
  navigationMs: limits.navigationMs,
};

const plainJob = {
  view: { ...plainView, ...defaultViewport },
  access: noAccess,
  changes: noChanges,
  waits: plainWaits,
  outputs: [plainPicture],
  timeoutMs: limits.screenshotTotalMs,
};
