// Which browser render workers start with: chosen and tested at the first start, and again when a newer one has come to this machine.
import { tmpdir } from 'node:os';
import { makeFolder } from '#storage/make-folder.ts';
import type { BrowserAbout, Log } from '#browser/browser.ts';
import { createUse, report, type Use } from '#browser/chromium-in-use.ts';
import type { Candidate, Chromium } from '#browser/install/chromium.ts';
import { fetchChromium, type FetchOptions } from '#browser/install/fetch-chromium.ts';
import { findChromium, presentShells, type Places } from '#browser/install/find-chromium.ts';
import { installFonts } from '#browser/install/fonts.ts';
import { hold, removeOlder } from '#browser/install/kept-browsers.ts';
import { readSystem } from '#browser/install/system.ts';
import type { PoolOptions } from '#browser/pool.ts';
import { workerNiceness } from '#browser/process/priority.ts';
import { sweepScratchFolders } from '#browser/process/scratch-folder.ts';
import { reachableCache, workerUsers } from '#browser/process/unprivileged.ts';
import { startTested, tryAll, type Base } from '#browser/try-chromium.ts';

export interface StartOptions {
  /** CHROMIUM_PATH. */
  executable: string | undefined;
  /** Where to look for a browser of the system. */
  folders: string[];
  /** For the fonts, and for the browser if it is not the system's; kept between starts. */
  cacheFolder: string;
  /** For the results of renders, on the file system of the store. */
  resultsFolder: string;
  /** The variables passed to the programs that fetch a browser: PATH and proxies. */
  fetchEnvironment?: Record<string, string>;
  /** Tests replace them. */
  ways?: FetchOptions['ways'];
  log: Log;
}

type Common = Omit<Base, 'chromium'>;

interface StartedChromium {
  /** The one that new workers start with. */
  readonly about: BrowserAbout;
  start: PoolOptions['start'];
  /** True if workers start with another one from now on. */
  renew(): Promise<boolean>;
  close(): Promise<void>;
}

export async function startChromium(options: StartOptions & { warmPages: number }): Promise<StartedChromium> {
  const { log } = options;
  const { places, common } = await prepare(options);
  /** Ids of those that failed here: they are not tried again. */
  const refused = new Set<string>();
  const endings = new Set<Promise<void>>();

  async function take({ id }: Pick<Candidate, 'id'>, chromium: Chromium, present?: Use): Promise<Use> {
    const release = hold(chromium);
    try {
      const tried = await startTested({ ...common, chromium });
      if (present?.about.sandboxed !== true || tried.sandboxProblem === null)
        return createUse(id, { ...common, chromium }, tried, release);
      await tried.worker.close();
      throw lacksSandbox();
    } catch (error) {
      release();
      refused.add(id);
      log.warn(
        { err: error, path: chromium.executable },
        `a browser is not used: ${(error as Error).message}`,
      );
      throw error;
    }
  }

  let current: Use | undefined;
  await findChromium({
    ...places,
    fetch: async () => {
      const fetched = await fetchNewest(options, places.cacheFolder, common, null);
      if (fetched === null) throw new Error('no source has a browser for this machine');
      return fetched;
    },
    accept: async (candidate, chromium) => {
      current = await take(candidate, chromium);
    },
  });
  let inUse = current!;
  report(inUse, log);

  /** What was in use before it is removed when its last worker has ended. */
  function change(next: Use): void {
    const before = inUse;
    inUse = next;
    report(next, log);
    const ending = removeOld(before.end(), next)
      .catch((error: unknown) => log.error({ err: error }, 'an old browser could not be removed'))
      .finally(() => endings.delete(ending));
    endings.add(ending);
  }

  async function removeOld(unused: Promise<void>, { id, about }: Use): Promise<void> {
    await unused;
    if (!id.startsWith(places.cacheFolder)) return;
    const removed = await removeOlder(places.cacheFolder, about.version, readSystem());
    for (const folder of removed) log.info({ folder }, 'an old browser is removed');
  }

  return {
    get about() {
      return inUse.about;
    },
    start: (given) => inUse.start(given),
    async renew() {
      for (const candidate of await presentShells(places)) {
        if (candidate.id === inUse.id) return false;
        if (refused.has(candidate.id)) continue;
        try {
          change(await take(candidate, await candidate.open(), inUse));
          return true;
        } catch {
          // It is reported, and the present one stays.
          refused.add(candidate.id);
        }
      }
      return false;
    },
    async close() {
      await inUse.end();
      await Promise.all(endings);
    },
  };
}

export interface Renewal {
  /** The newest headless-shell that was on this machine; null if there was none. */
  before: Chromium | null;
  /** Null if no source has a newer one. */
  fetched: Chromium | null;
}

/** Fetches a newer headless-shell than those of this machine and tests it. A running service takes it; until then nothing changes. */
export async function fetchNewer(options: StartOptions): Promise<Renewal> {
  if (options.executable !== undefined)
    throw new Error('CHROMIUM_PATH names the browser: renew it the way you installed it');
  const { places, common } = await prepare({ ...options, warmPages: 1 });
  const before = await newestThatRuns(places);
  const fetched = await fetchNewest(options, places.cacheFolder, common, before);
  if (fetched !== null) await removeOlder(places.cacheFolder, fetched.version, readSystem());
  return { before, fetched };
}

async function newestThatRuns(places: Places): Promise<Chromium | null> {
  for (const { open } of await presentShells(places)) {
    const chromium = await open().catch(() => null);
    if (chromium !== null) return chromium;
  }
  return null;
}

async function prepare({
  log,
  resultsFolder,
  warmPages,
  ...options
}: StartOptions & { warmPages: number }): Promise<{ places: Places; common: Common }> {
  const users = workerUsers();
  makeFolder(resultsFolder);
  await sweepScratchFolders(tmpdir(), users?.browser ?? null);
  await sweepScratchFolders(resultsFolder, users?.worker ?? null);
  const cacheFolder = await reachableCache(options.cacheFolder, users?.browser ?? null);
  const { executable: explicitPath, folders } = options;
  return {
    places: { explicitPath, folders, cacheFolder },
    common: {
      fontsFile: await installFonts(cacheFolder),
      users,
      niceness: workerNiceness,
      warmPages,
      resultsFolder,
      log,
    },
  };
}

function fetchNewest(
  { fetchEnvironment = {}, ways, log }: StartOptions,
  cacheFolder: string,
  common: Common,
  present: Chromium | null,
): Promise<Chromium | null> {
  return fetchChromium({
    cacheFolder,
    environment: fetchEnvironment,
    log,
    async check(chromium) {
      const { sandboxProblem } = await tryAll({ ...common, chromium });
      // The system may allow it to the present one by its path.
      if (sandboxProblem === null || present === null) return;
      const { worker, sandboxProblem: problem } = await startTested({ ...common, chromium: present });
      await worker.close();
      if (problem === null) throw lacksSandbox();
    },
    ...(ways && { ways }),
    ...(present && { newerThan: present.version }),
  });
}

const lacksSandbox = () => new Error('failed the test of its sandbox, which the present browser has');
