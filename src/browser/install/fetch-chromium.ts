// Fetches a headless-shell for this platform into the cache. Asks each source for its newest version, tries them from the newest on, logs
// the download with its size, and tests the browser before putting it in place.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '#browser/browser.ts';
import { cachedFolder } from '#browser/install/cached-folder.ts';
import { versionOf, type Chromium } from '#browser/install/chromium.ts';
import { distributionWay } from '#browser/install/distribution-chromium.ts';
import type { FetchWay } from '#browser/install/fetch-way.ts';
import { folderOf, recall, recordName, recordOf } from '#browser/install/kept-browsers.ts';
import { npmWay } from '#browser/install/npm-chromium.ts';
import { playwrightWay } from '#browser/install/playwright-chromium.ts';
import { compareVersions } from '#browser/install/releases.ts';
import { readSystem } from '#browser/install/system.ts';

export interface FetchOptions {
  cacheFolder: string;
  environment: Record<string, string>;
  /** Rejects a browser that must not be used. */
  check: (chromium: Chromium) => Promise<void>;
  log: Log;
  /** Fetches nothing that is not newer than this version. */
  newerThan?: string;
  ways?: FetchWay[];
}

/** Null if no source has a newer one. Rejects if one that may have it could not be asked, or has one that could not be used. */
export async function fetchChromium(options: FetchOptions): Promise<Chromium | null> {
  const temporary = await mkdtemp(join(tmpdir(), 'tintype-fetch-'));
  try {
    return await fetchWith(temporary, options);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function fetchWith(temporary: string, options: FetchOptions): Promise<Chromium | null> {
  const { cacheFolder, environment, check, log, newerThan = '0' } = options;
  const system = readSystem();
  const ways = options.ways ?? (await defaultWays());
  const problems: string[] = [];
  const fail = (way: FetchWay, error: unknown) => {
    const reason = (error as Error).message;
    problems.push(`${way.title}: ${reason}`);
    log.warn({ way: way.title, err: error }, `no browser from ${way.title}: ${reason}`);
  };
  const toolsFor = (way: FetchWay) => ({
    environment,
    temporary,
    tell: (what: string, size?: string) =>
      log.info(
        { way: way.title, cacheFolder },
        `fetching a browser (once): ${what}${size === undefined ? '' : `, ${size}`}, into ${cacheFolder}`,
      ),
  });

  const offers: { way: FetchWay; version: string }[] = [];
  for (const way of ways) {
    try {
      const version = await way.newest(toolsFor(way));
      if (version !== null && compareVersions(version, newerThan) > 0) offers.push({ way, version });
    } catch (error) {
      fail(way, error);
    }
  }
  for (const { way, version } of offers.toSorted((a, b) => compareVersions(b.version, a.version))) {
    const folder = folderOf(cacheFolder, way.name, version, system);
    try {
      await cachedFolder(folder, {
        onWait: () => log.info({ folder }, 'another process is fetching a browser: waiting for it'),
        async fill(draft) {
          const fetched = await way.fill(draft, toolsFor(way));
          const printed = await runHere(fetched.executable, fetched.libraryFolders);
          const record = recordOf(draft, { ...fetched, version: printed, title: way.title });
          await writeFile(join(draft, recordName), record);
        },
        check: async (draft) => check(await recall(draft)),
      });
      return await recall(folder);
    } catch (error) {
      fail(way, error);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('; '));
  return null;
}

function runHere(executable: string, libraryFolders: string[]): Promise<string> {
  const libraries = libraryFolders.length > 0 ? libraryFolders.join(':') : null;
  return versionOf(executable, libraries).catch((error: Error) => {
    throw new Error(`it does not run here: ${error.message}`);
  });
}

async function defaultWays(): Promise<FetchWay[]> {
  const system = readSystem();
  return [await playwrightWay(), ...(system.hasApt ? [distributionWay(system)] : []), await npmWay()];
}
