// The service's own browser, started when it is first needed: most tests of the service render nothing, and a start costs two to
// four seconds of CPU time.
import type { Browser } from '#browser/browser.ts';
import type { Config } from '#roof/config.ts';
import { openBrowser } from '#roof/engines.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';
import { shared, together } from '#test/support/shared.ts';

type Given = Parameters<typeof openBrowser>;

/**
 * The services of test files that share a process use one browser, one service at a time. It follows the log of the service that
 * took it last. Its results are in a folder of its own, because it outlives the data folders of these services.
 */
let holder: Given | undefined;
let isTaken = false;
const keptBrowser = shared(
  async () => {
    const [config, , options] = current();
    const folder = await temporaryFolder();
    const browser = await openBrowser(
      { ...config, blobsDir: folder.path },
      {
        info: (...line) => current()[1].info(...line),
        warn: (...line) => current()[1].warn(...line),
        error: (...line) => current()[1].error(...line),
      },
      options,
    );
    return { browser, folder };
  },
  async ({ browser, folder }) => {
    await browser.close();
    await folder.remove();
  },
);

export const openLateBrowser: typeof openBrowser = (...given) => {
  let opened: Promise<Browser> | undefined;
  let browser: Browser | undefined;
  let close = async (): Promise<void> => (await opened)?.close();
  const open = () => (opened ??= start().then((ready) => (browser = ready)));

  async function start(): Promise<Browser> {
    const isFitting = holder === undefined || startsAlike(holder[0], given[0]);
    if (!together.isOn || isTaken || !isFitting) return openBrowser(...given);
    holder = given;
    isTaken = true;
    close = async () => void (isTaken = false);
    return (await keptBrowser()).browser;
  }

  return Promise.resolve({
    get about() {
      return (browser ?? idleBrowser).about;
    },
    makePicture: async (...order) => (await open()).makePicture(...order),
    render: async (job, signal) => (await open()).render(job, signal),
    check: async () => (await open()).check(),
    workerCounts: () => (browser ?? idleBrowser).workerCounts(),
    renew: async () => browser?.renew(),
    close: () => close(),
  });
};

function current(): Given {
  if (!holder) throw new Error('no service has taken the browser');
  return holder;
}

const startsAlike = (one: Config, other: Config): boolean =>
  one.renderConcurrency === other.renderConcurrency &&
  one.browserRestAfterMs === other.browserRestAfterMs &&
  one.chromiumPath === other.chromiumPath &&
  one.cacheDir === other.cacheDir &&
  one.programFolders.join() === other.programFolders.join();
