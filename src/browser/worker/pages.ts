// The pages of a worker's browser: opened in advance, each used for one render and then discarded.
import { openEgressDoor } from '#wall/door.ts';
import { RenderFailure } from '#browser/browser.ts';
import { limits } from '#core/limits.ts';
import { openPage, type Page } from '#browser/page/page.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { createPhase } from '#browser/process/deadline.ts';
import { createPageStock } from '#browser/worker/page-stock.ts';

export interface Pages {
  /** A new page for one render; opened now if none is ready. */
  take(signal: AbortSignal): Promise<Page>;
  /** Resolves to false if the browser did not discard the page in time. */
  discard(page: Page): Promise<boolean>;
  /** Opens pages in advance. */
  stock(): Promise<void>;
}

/** No page has done anything in this render yet, so another browser may succeed. */
const noPage = () =>
  new RenderFailure('crashed', 'the browser did not open a page in time', { browserLost: true });
const openMs = 20_000;
const discardMs = 2_000;
const never = new AbortController().signal;
const viewport = { width: limits.viewportWidth.default, height: limits.viewportHeight.default };

export function createPages(process: ChromiumProcess, warmPages: number): Pages {
  async function open(): Promise<Page> {
    // Any call to a browser that is gone fails by itself, with an error that says so.
    const phase = createPhase(never, openMs, noPage);
    const door = await openEgressDoor();
    try {
      return await openPage({ process, door, viewport }, phase.signal);
    } catch (error) {
      await door.close();
      throw error;
    } finally {
      phase.end();
    }
  }

  async function discard(page: Page): Promise<boolean> {
    const phase = createPhase(process.gone, discardMs, () => new Error('not discarded in time'));
    try {
      await page.dispose(phase.signal);
      return true;
    } catch {
      return false;
    } finally {
      phase.end();
      await page.door.close();
    }
  }

  const pages = createPageStock<Page>({
    open,
    discard,
    isUsable: (page) => !page.fault.aborted,
    max: warmPages,
  });
  return { take: pages.take, discard, stock: pages.fill };
}
