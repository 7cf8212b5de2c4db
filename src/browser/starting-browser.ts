// The browser of a service that is starting: files and pages are served meanwhile, and a render waits until the browser has passed its tests.
import type { Browser, BrowserAbout } from '#browser/browser.ts';
import { createDeadline, within } from '#browser/process/deadline.ts';

export interface StartingBrowser extends Omit<Browser, 'about'> {
  /** Null until it has started. */
  readonly about: BrowserAbout | null;
  /** Rejects with the reason if no browser can be started. */
  started: Promise<BrowserAbout>;
}

const noWorkers = { started: 0, replaced: 0, lost: 0, idle: 0 };

export function startingBrowser(opening: Promise<Browser>): StartingBrowser {
  let browser: Browser | undefined;
  const started = opening.then((ready) => (browser = ready).about);
  // Whoever waits for it gets the reason.
  started.catch(() => {});

  async function ready(timeoutMs: number, caller: AbortSignal): Promise<Browser> {
    if (browser) return browser;
    const deadline = createDeadline(timeoutMs, timeoutMs, caller);
    try {
      return await within(opening, deadline.signal);
    } finally {
      deadline.end();
    }
  }

  return {
    get about() {
      return browser?.about ?? null;
    },
    started,
    render: async (job, signal) => (await ready(job.timeoutMs, signal)).render(job, signal),
    makePicture: async (account, task, signal) =>
      (await ready(task.timeoutMs, signal)).makePicture(account, task, signal),
    async check() {
      if (!browser) throw new Error('the browser is starting');
      await browser.check();
    },
    workerCounts: () => browser?.workerCounts() ?? noWorkers,
    renew: async () => browser?.renew(),
    async close() {
      if (browser) return browser.close();
      // A download takes minutes, and what is started ends with this process.
      opening.then(
        (late) => late.close(),
        () => {},
      );
    },
  };
}
