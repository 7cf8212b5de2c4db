// The service's own browser, started when it is first needed: most tests of the service render nothing, and a start costs two to
// four seconds of CPU time.
import type { Browser } from '#browser/browser.ts';
import { openBrowser } from '#roof/engines.ts';

export const openLateBrowser: typeof openBrowser = (...args) => {
  let opened: Promise<Browser> | undefined;
  let browser: Browser | undefined;
  const open = () => (opened ??= openBrowser(...args).then((ready) => (browser = ready)));
  return Promise.resolve({
    get about() {
      if (!browser) throw new Error('the browser of this test has not been started');
      return browser.about;
    },
    screenshot: async (job, signal) => (await open()).screenshot(job, signal),
    pdf: async (job, signal) => (await open()).pdf(job, signal),
    check: async () => (await open()).check(),
    close: async () => (await opened)?.close(),
  });
};
