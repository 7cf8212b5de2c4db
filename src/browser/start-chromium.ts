// The first start of a render worker: chooses the browser, finds out whether its sandbox works here, tests the egress wall and the
// fonts, and returns how to start every further worker.
import { tmpdir } from 'node:os';
import { makeFolder } from '#storage/make-folder.ts';
import type { BrowserAbout, Log } from '#browser/browser.ts';
import { fetchChromium } from '#browser/install/fetch-chromium.ts';
import { findChromium, type FindChromiumOptions } from '#browser/install/find-chromium.ts';
import { installFonts } from '#browser/install/fonts.ts';
import type { PoolOptions } from '#browser/pool.ts';
import { lowNiceness, workerNiceness } from '#browser/process/priority.ts';
import { sweepScratchFolders } from '#browser/process/scratch-folder.ts';
import { reachableCache, workerUsers } from '#browser/process/unprivileged.ts';
import { startWorker, WorkerStartError, type Worker, type WorkerOptions } from '#browser/worker/worker.ts';

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
  /** Fetches a newer one, if the browser was fetched. */
  renew?: boolean;
  unpackNpm?: FindChromiumOptions['unpackNpm'];
  log: Log;
}

type Base = Omit<WorkerOptions, 'sandboxed' | 'isTested'>;

export async function startChromium(
  options: StartOptions & { warmPages: number },
): Promise<{ about: BrowserAbout; start: PoolOptions['start'] }> {
  const { log, resultsFolder } = options;
  const users = workerUsers();
  makeFolder(resultsFolder);
  await sweepScratchFolders(tmpdir(), users?.browser ?? null);
  await sweepScratchFolders(resultsFolder, users?.worker ?? null);
  const cacheFolder = await reachableCache(options.cacheFolder, users?.browser ?? null);
  const fontsFile = await installFonts(cacheFolder);
  const common = {
    fontsFile,
    users,
    niceness: workerNiceness,
    warmPages: options.warmPages,
    resultsFolder,
    log,
  };
  const chromium = await findChromium({
    explicitPath: options.executable,
    folders: options.folders,
    cacheFolder,
    fetch: () =>
      fetchChromium({
        cacheFolder,
        environment: options.fetchEnvironment ?? {},
        renew: options.renew ?? false,
        log,
        check: (fetched) => checkFetched({ ...common, chromium: fetched }),
      }),
    ...(options.unpackNpm && { unpackNpm: options.unpackNpm }),
  });
  const base = { ...common, chromium };
  const { worker, sandboxProblem } = await startTested(base);
  const sandboxed = sandboxProblem === null;
  const { version, wall, drawing } = worker.started;
  const about: BrowserAbout = {
    name: chromium.kind === 'full' ? 'Chromium' : 'chrome-headless-shell',
    version: version.replace(/^.*\//, ''),
    path: chromium.executable,
    source: chromium.source,
    installedAt: chromium.installedAt,
    renewal: chromium.renewal,
    ...(chromium.trust !== undefined && { trust: chromium.trust }),
    sandboxed,
    sandboxProblem,
    blankScripts: drawing?.blankScripts ?? [],
  };
  log.info({ ...about, wallTried: wall?.tried }, 'the browser is ready');
  if (!sandboxed) {
    log.warn(
      { problem: sandboxProblem },
      'THE BROWSER RUNS WITHOUT ITS SANDBOX: a page that breaks the renderer has the rights of this user. ' +
        'Allow user namespaces for it, or run the service as root, which starts the browser as nobody.',
    );
  }
  if (about.blankScripts.length > 0) {
    log.warn(
      { scripts: about.blankScripts },
      'text in these scripts would be invisible: install fonts for them',
    );
  }
  const start = ({ isLow }: { isLow: boolean }) =>
    startWorker({ ...base, sandboxed, isTested: false, niceness: isLow ? lowNiceness : workerNiceness });
  return { about, start: reuse(worker, start) };
}

/** A fetched browser is used only if it shows text and cannot bypass the proxy. */
async function checkFetched(base: Base): Promise<void> {
  const { worker } = await startTested(base);
  await worker.close();
  if (worker.started.drawing?.blankScripts.includes('Latin') === true) throw new Error('it draws no text');
}

/** Rejects a browser that must not be used. */
async function startTested(base: Base): Promise<{ worker: Worker; sandboxProblem: string | null }> {
  const tested = await startWithSandbox(base);
  const { version, wall, drawing } = tested.worker.started;
  const isLeaking = !wall || wall.leaks.tcp + wall.leaks.udp > 0;
  if (!isLeaking && drawing?.drawsBelowViewport === true) return tested;
  await tested.worker.close();
  throw new Error(
    isLeaking
      ? `The browser can reach the network past the egress proxy: ${JSON.stringify(wall)}`
      : 'This browser does not draw pages below the viewport, so full-page captures would be blank there. ' +
          `Set CHROMIUM_PATH to another one (this is ${version}).`,
  );
}

// What Chromium prints if the system denies it its sandbox: no user namespaces, no setuid helper.
const sandboxRefusal =
  /no usable sandbox|suid sandbox helper|failed to move to new namespace|without --no-sandbox|credentials\.cc/i;

/**
 * Starts without the sandbox only if the system is known to refuse it, and never silently: the log and `about` report it. Any
 * other failure, such as a start that took too long on a busy machine, is retried once with the sandbox on.
 */
async function startWithSandbox(base: Base): Promise<{ worker: Worker; sandboxProblem: string | null }> {
  const tested = { ...base, isTested: true };
  for (let isRetry = false; ; isRetry = true) {
    try {
      return { worker: await startWorker({ ...tested, sandboxed: true }), sandboxProblem: null };
    } catch (error) {
      const isRefused = error instanceof WorkerStartError && sandboxRefusal.test(error.detail);
      if (isRefused) {
        const worker = await startWorker({ ...tested, sandboxed: false });
        return { worker, sandboxProblem: error.message };
      }
      if (isRetry) throw error;
    }
  }
}

/** The worker that passed the tests serves first. */
function reuse(first: Worker, start: PoolOptions['start']): PoolOptions['start'] {
  let ready: Worker | undefined = first;
  return (options) => {
    const worker = ready;
    ready = undefined;
    return worker && !worker.gone.aborted ? Promise.resolve(worker) : start(options);
  };
}
