// Fetches a headless-shell for this platform into the cache if neither the system nor npm has one. Tries each source in turn,
// logs it with its size, and checks the browser before putting it in place.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Log } from '#browser/browser.ts';
import { cachedFolder, isWhole } from '#browser/install/cached-folder.ts';
import { distributionWay } from '#browser/install/distribution-chromium.ts';
import type { Fetched, FetchWay } from '#browser/install/fetch-way.ts';
import { problemOf, type Chromium } from '#browser/install/find-chromium.ts';
import { playwrightWay } from '#browser/install/playwright-chromium.ts';
import { readSystem } from '#browser/install/system.ts';

export interface FetchOptions {
  cacheFolder: string;
  environment: Record<string, string>;
  /** Rejects a browser that must not be used. */
  check: (chromium: Chromium) => Promise<void>;
  log: Log;
  /** Fetches again even if there is one. */
  renew?: boolean;
  ways?: FetchWay[];
}

const recordName = 'browser.json';

export async function fetchChromium(options: FetchOptions): Promise<Chromium> {
  const { cacheFolder, environment, check, log, renew = false } = options;
  const ways = options.ways ?? (await defaultWays());
  const fetched = renew ? null : await fetchedChromium(cacheFolder, ways);
  if (fetched !== null) return fetched;
  const problems: string[] = [];
  for (const way of ways) {
    const folder = join(cacheFolder, way.folder);
    const tell = (what: string, size: string) =>
      log.info({ way: way.title, folder }, `fetching a browser (once): ${what}, ${size}, into ${folder}`);
    try {
      await cachedFolder(folder, {
        renew,
        onWait: () => log.info({ folder }, 'another process is fetching a browser: waiting for it'),
        async fill(draft) {
          const { executable, libraryFolders, ...rest } = await way.fill(draft, { environment, tell });
          const record: Fetched = {
            ...rest,
            executable: relative(draft, executable),
            libraryFolders: libraryFolders.map((path) => relative(draft, path)),
          };
          await writeFile(join(draft, recordName), JSON.stringify(record));
        },
        async check(draft) {
          const chromium = await recall(draft, way);
          const problem = await problemOf(chromium.executable, chromium.libraryFolder);
          if (problem !== null) throw new Error(`it does not run here: ${problem}`);
          await check(chromium);
        },
      });
      return await recall(folder, way);
    } catch (error) {
      const reason = (error as Error).message;
      problems.push(`${way.title}: ${reason}`);
      log.warn({ way: way.title, err: error }, `no browser from ${way.title}: ${reason}`);
    }
  }
  throw new Error(problems.join('; '));
}

/** What was fetched before; null if nothing was. */
export async function fetchedChromium(cacheFolder: string, ways?: FetchWay[]): Promise<Chromium | null> {
  for (const way of ways ?? (await defaultWays())) {
    const folder = join(cacheFolder, way.folder);
    if (await isWhole(folder)) return recall(folder, way);
  }
  return null;
}

async function defaultWays(): Promise<FetchWay[]> {
  const system = readSystem();
  return [await playwrightWay(system), ...(system.hasApt ? [distributionWay(system)] : [])];
}

async function recall(folder: string, { title, renewal }: FetchWay): Promise<Chromium> {
  const path = join(folder, recordName);
  const { executable, libraryFolders, ...rest } = JSON.parse(await readFile(path, 'utf8')) as Fetched;
  const libraries = libraryFolders.map((name) => join(folder, name));
  return {
    ...rest,
    executable: join(folder, executable),
    libraryFolder: libraries.length > 0 ? libraries.join(':') : null,
    kind: 'headless-shell',
    source: `${title}, kept in the cache`,
    renewal,
    installedAt: (await stat(path)).mtime,
  };
}
