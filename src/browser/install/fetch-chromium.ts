// Fetches a headless-shell for this platform into the cache if neither the system nor npm has one. Tries each source in turn,
// logs it with its size, and checks the browser before putting it in place.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Log } from '#browser/browser.ts';
import { cachedFolder, isWhole } from '#browser/install/cached-folder.ts';
import { distributionWay } from '#browser/install/distribution-chromium.ts';
import { problemOf, type Chromium } from '#browser/install/find-chromium.ts';
import { playwrightWay } from '#browser/install/playwright-chromium.ts';
import { readSystem } from '#browser/install/system.ts';

export interface FetchTools {
  /** For the programs that fetch it: PATH and proxies. */
  environment: Record<string, string>;
  /** Logs what is being fetched, as soon as its size is known. */
  tell(what: string, sizeBytes: number): void;
}

export interface FetchWay {
  title: string;
  /** Its name in the cache: another version, release or processor has another folder. */
  folder: string;
  source: string;
  renewal: string;
  /** False if nobody publishes a checksum or a signature that the download could be compared with. */
  hasChecksum?: false;
  fill(draft: string, tools: FetchTools): Promise<Fetched>;
}

interface Fetched {
  executable: string;
  libraryFolders: string[];
  /** Where it came from, and the names of the variables that decided so. */
  origin?: { address: string; variables: string[] };
}

export interface FetchOptions {
  cacheFolder: string;
  environment: Record<string, string>;
  /** Rejects a browser that must not be used. */
  check: (chromium: Chromium) => Promise<void>;
  log: Log;
  /** Fetches again even if there is one. */
  renew?: boolean;
  /** There is another browser to use, so a fetch that failed within the last day is not repeated. */
  hasOther?: boolean;
  ways?: FetchWay[];
}

const recordName = 'browser.json';
const failureName = 'fetch-failed.txt';
const failureMs = 24 * 60 * 60_000;
const MiB = 1024 ** 2;

export async function fetchChromium(options: FetchOptions): Promise<Chromium> {
  const { cacheFolder, environment, check, log, renew = false } = options;
  const ways = options.ways ?? (await usualWays());
  const failure = join(cacheFolder, failureName);
  if (!renew) {
    const fetched = await fetchedChromium(cacheFolder, ways);
    if (fetched !== null) return fetched;
    const last = options.hasOther === true ? await lastFailure(failure) : null;
    if (last !== null) throw new Error(`${last}; tried within the last day`);
  }
  const problems: string[] = [];
  for (const way of ways) {
    const folder = join(cacheFolder, way.folder);
    const tell = (what: string, sizeBytes: number) => {
      const size = `${Math.max(1, Math.round(sizeBytes / MiB))} MiB`;
      log.info(
        { way: way.title, sizeBytes, folder },
        `fetching a browser (once): ${what}, ${size}, into ${folder}`,
      );
    };
    try {
      await cachedFolder(folder, {
        renew,
        onWait: () => log.info({ folder }, 'another process is fetching a browser: waiting for it'),
        async fill(draft) {
          const { executable, libraryFolders, origin } = await way.fill(draft, { environment, tell });
          const record: Fetched = {
            ...(origin && { origin }),
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
  await writeFile(failure, problems.join('; '));
  throw new Error(problems.join('; '));
}

/** What was fetched before; null if nothing was. */
export async function fetchedChromium(cacheFolder: string, ways?: FetchWay[]): Promise<Chromium | null> {
  for (const way of ways ?? (await usualWays())) {
    const folder = join(cacheFolder, way.folder);
    if (await isWhole(folder)) return recall(folder, way);
  }
  return null;
}

async function lastFailure(path: string): Promise<string | null> {
  try {
    return Date.now() - (await stat(path)).mtimeMs < failureMs ? await readFile(path, 'utf8') : null;
  } catch {
    return null;
  }
}

async function usualWays(): Promise<FetchWay[]> {
  const system = readSystem();
  return [await playwrightWay(system), distributionWay(system)].filter((way) => way !== null);
}

async function recall(folder: string, { source, renewal, hasChecksum }: FetchWay): Promise<Chromium> {
  const path = join(folder, recordName);
  const record = JSON.parse(await readFile(path, 'utf8')) as Fetched;
  const libraries = record.libraryFolders.map((name) => join(folder, name));
  return {
    executable: join(folder, record.executable),
    libraryFolder: libraries.length > 0 ? libraries.join(':') : null,
    kind: 'headless-shell',
    source,
    renewal,
    installedAt: (await stat(path)).mtime,
    ...(hasChecksum === false && { trust: trustIn(record) }),
  };
}

function trustIn({ origin }: Fetched): string {
  const unchecked = 'no checksum is published for this browser, so the download could not be checked';
  if (!origin) return `${unchecked}, and an earlier version of Tintype did not record where it came from`;
  const { address, variables } = origin;
  const isSecure = address.startsWith('https:');
  const settings = variables.length === 0 ? 'no proxy or mirror was set' : `set were ${variables.join(', ')}`;
  return `${unchecked}; it came from ${address}, ${isSecure ? 'trusted for its TLS certificate' : 'without TLS'}; ${settings}`;
}
