// The reference: a plain and slow way to the same pictures, with Playwright, the same browser and the same fonts. It waits for
// load, network idle and three more seconds, and for the full page scrolls to the end and back.
import type { Page } from 'playwright-core';
import { launchTestChromium } from '#test/support/chromium.ts';
import type { Rendered, Renderer } from '#lab/prove/fidelity/compare.ts';

const viewport = { width: 1440, height: 900 };
const settleMs = 3_000;
const scrolledMs = 500;
// A page that is never idle is captured as it is after this time.
const idleMs = 20_000;

export interface Reference extends Renderer {
  /** As fast as a plain script would be: without the three seconds. */
  shootFullPage(url: string): Promise<void>;
  print(url: string): Promise<void>;
}

export async function startReference(): Promise<Reference> {
  const { browser, close } = await launchTestChromium([
    '--hide-scrollbars',
    '--font-render-hinting=none',
    '--force-color-profile=srgb',
    '--lang=en-US',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  ]);

  async function onPage<T>(work: (page: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext({ viewport });
    try {
      return await work(await context.newPage());
    } finally {
      await context.close();
    }
  }

  return {
    async render(url) {
      try {
        const { viewport: first, fullPage } = await onPage(async (page) => {
          const take = await takenOn(page, url);
          return {
            viewport: await take(async () => ({ picture: await page.screenshot() })),
            fullPage: await take(() => fullPageOf(page)),
          };
        });
        // In a separate page: a full-page capture changes the viewport, and some pages do not recover from that.
        const pdf = await onPage(async (page) => {
          const take = await takenOn(page, url);
          return take(async () => ({ pdf: await pdfOf(page) }));
        });
        return { viewport: first, fullPage, pdf };
      } catch (error) {
        return { viewport: error as Error, fullPage: error as Error, pdf: error as Error };
      }
    },
    shootFullPage: (url) =>
      onPage(async (page) => {
        await load(page, url);
        await fullPageOf(page);
      }),
    print: (url) =>
      onPage(async (page) => {
        await load(page, url);
        await pdfOf(page);
      }),
    close,
  };
}

/** Loads the page; the time of each result is that of the load plus its own part. */
async function takenOn(page: Page, url: string) {
  const startedAt = performance.now();
  await load(page, url);
  const loadMs = performance.now() - startedAt;
  await page.waitForTimeout(settleMs);
  return async (work: () => Promise<Omit<Rendered, 'ms'>>): Promise<Rendered | Error> => {
    const workedFrom = performance.now();
    try {
      return { ...(await work()), ms: loadMs + performance.now() - workedFrom };
    } catch (error) {
      return error as Error;
    }
  };
}

async function load(page: Page, url: string): Promise<void> {
  try {
    await page.goto(url, { waitUntil: 'networkidle', timeout: idleMs });
  } catch {
    await page.waitForLoadState('load', { timeout: idleMs });
  }
}

async function fullPageOf(page: Page): Promise<Omit<Rendered, 'ms'>> {
  await scrollThrough(page);
  return { picture: await page.screenshot({ fullPage: true }), left: await startOf(page) };
}

const pdfOf = (page: Page): Promise<Buffer> => page.pdf({ format: 'Letter', printBackground: true });

async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const root = document.scrollingElement ?? document.documentElement;
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let top = 0; top < Math.min(root.scrollHeight, 65535); top += innerHeight) {
      scrollTo({ top, behavior: 'instant' });
      await frame();
      await frame();
    }
    scrollTo({ top: 0, left: 0, behavior: 'instant' });
  })()`);
  await page.waitForLoadState('networkidle', { timeout: idleMs }).catch(() => {});
  await page.waitForTimeout(scrolledMs);
}

/** Playwright's full page is as wide as the content; the reader's view begins this far to the right. */
async function startOf(page: Page): Promise<Rendered['left']> {
  const session = await page.context().newCDPSession(page);
  const { cssLayoutViewport } = await session.send('Page.getLayoutMetrics');
  return cssLayoutViewport.pageX;
}
