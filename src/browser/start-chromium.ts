// The first start of the browser: chooses it, finds out whether its sandbox works here, tests the egress wall and the fonts, and
// returns how to launch every further one.
import type { BrowserAbout, Log } from '#browser/browser.ts';
import { ChromiumStartError, launchChromium } from '#browser/process/chromium-process.ts';
import type { Priority } from '#browser/process/priority.ts';
import type { ChromiumProcess, LaunchOptions } from '#browser/process/chromium-process.ts';
import { createPhase, startStepMs } from '#browser/process/deadline.ts';
import type { EgressProxy } from '#browser/egress/proxy.ts';
import { fetchChromium } from '#browser/install/fetch-chromium.ts';
import { findChromium, type FindChromiumOptions } from '#browser/install/find-chromium.ts';
import { installFonts } from '#browser/install/fonts.ts';
import { drawingTestViewport, testDrawing } from '#browser/drawing-test.ts';
import type { DrawingTest } from '#browser/drawing-test.ts';
import { openPage } from '#browser/page/page.ts';
import { sweepScratchFolders } from '#browser/process/scratch-folder.ts';
import { browserUser, reachableCache } from '#browser/process/unprivileged.ts';
import { testWall, type WallReport } from '#browser/wall-test.ts';

type Launch = (priority: Priority) => Promise<ChromiumProcess>;

export interface StartOptions {
  /** CHROMIUM_PATH. */
  executable: string | undefined;
  /** Where to look for a browser of the system. */
  folders: string[];
  /** For the fonts, and for the browser if it is not the system's; kept between starts. */
  cacheFolder: string;
  /** The variables passed to the programs that fetch a browser: PATH and proxies. */
  fetchEnvironment?: Record<string, string>;
  /** Fetches a newer one, if the browser was fetched. */
  renew?: boolean;
  unpackNpm?: FindChromiumOptions['unpackNpm'];
  egress: EgressProxy;
  log: Log;
}

export async function startChromium(options: StartOptions): Promise<{
  about: BrowserAbout;
  launch: Launch;
}> {
  const { log } = options;
  const user = browserUser();
  await sweepScratchFolders(user);
  const cacheFolder = await reachableCache(options.cacheFolder, user);
  const fontsFile = await installFonts(cacheFolder);
  const chromium = await findChromium({
    explicitPath: options.executable,
    folders: options.folders,
    cacheFolder,
    fetch: ({ hasOther }) =>
      fetchChromium({
        hasOther,
        cacheFolder,
        environment: options.fetchEnvironment ?? {},
        renew: options.renew ?? false,
        log,
        check: (fetched) => checkFetched({ chromium: fetched, fontsFile, user }, options.egress),
      }),
    ...(options.unpackNpm && { unpackNpm: options.unpackNpm }),
  });
  const base = { chromium, fontsFile, user, log };
  const { process: first, sandboxProblem } = await launchWithSandbox(base);
  const sandboxed = sandboxProblem === null;
  try {
    const { wall, drawing } = await prove(first, options.egress);
    const about: BrowserAbout = {
      name: chromium.kind === 'full' ? 'Chromium' : 'chrome-headless-shell',
      version: first.version.replace(/^.*\//, ''),
      path: chromium.executable,
      source: chromium.source,
      installedAt: chromium.installedAt,
      renewal: chromium.renewal,
      ...(chromium.trust !== undefined && { trust: chromium.trust }),
      sandboxed,
      sandboxProblem,
      blankScripts: drawing.blankScripts,
    };
    log.info({ ...about, wallTried: wall.tried }, 'the browser is ready');
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
    return { about, launch: reuse(first, (priority) => launchChromium({ ...base, sandboxed, priority })) };
  } catch (error) {
    await first.close();
    throw error;
  }
}

/** A fetched browser is used only if it shows text and cannot bypass the proxy. */
async function checkFetched(base: Omit<LaunchOptions, 'sandboxed'>, egress: EgressProxy): Promise<void> {
  const { process } = await launchWithSandbox(base);
  try {
    const { drawing } = await prove(process, egress);
    if (drawing.blankScripts.includes('Latin')) throw new Error('it draws no text');
  } finally {
    await process.close();
  }
}

/** Rejects a browser that must not be used. */
async function prove(
  process: ChromiumProcess,
  egress: EgressProxy,
): Promise<{ wall: WallReport; drawing: DrawingTest }> {
  const wall = await testWall(process);
  if (wall.leaks.tcp + wall.leaks.udp > 0) {
    throw new Error(`The browser can reach the network past the egress proxy: ${JSON.stringify(wall)}`);
  }
  const drawing = await tryDrawing(process, egress);
  if (!drawing.drawsBelowViewport) {
    throw new Error(
      'This browser does not draw pages below the viewport, so full-page captures would be blank there. ' +
        `Set CHROMIUM_PATH to another one (this is ${process.version}).`,
    );
  }
  return { wall, drawing };
}

// What Chromium prints if the system denies it its sandbox: no user namespaces, no setuid helper.
const sandboxRefusal =
  /no usable sandbox|suid sandbox helper|failed to move to new namespace|without --no-sandbox|credentials\.cc/i;

/**
 * Starts without the sandbox only if the system is known to refuse it, and never silently: the log and `about` report it. Any
 * other failure, such as a start that took too long on a busy machine, is retried once with the sandbox on.
 */
async function launchWithSandbox(base: Omit<LaunchOptions, 'sandboxed'>) {
  for (let isRetry = false; ; isRetry = true) {
    try {
      return { process: await launchChromium({ ...base, sandboxed: true }), sandboxProblem: null };
    } catch (error) {
      const isRefused = error instanceof ChromiumStartError && sandboxRefusal.test(error.detail);
      if (isRefused) {
        const process = await launchChromium({ ...base, sandboxed: false });
        return { process, sandboxProblem: error.message };
      }
      if (isRetry) throw error;
    }
  }
}

async function tryDrawing(process: ChromiumProcess, egress: EgressProxy): Promise<DrawingTest> {
  const door = await egress.openDoor();
  const phase = createPhase(process.gone, startStepMs, () => new Error('the drawing test took too long'));
  try {
    const viewport = drawingTestViewport;
    const page = await openPage({ process, door, viewport }, phase.signal);
    const result = await testDrawing(page, phase.signal);
    await page.dispose(phase.signal);
    return result;
  } finally {
    phase.end();
    await door.close();
  }
}

/** The process that passed the tests serves first. */
function reuse(first: ChromiumProcess, launch: Launch): Launch {
  let ready: ChromiumProcess | undefined = first;
  return (priority) => {
    const process = ready;
    ready = undefined;
    return process && !process.gone.aborted ? Promise.resolve(process) : launch(priority);
  };
}
