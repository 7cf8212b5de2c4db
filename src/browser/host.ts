// One browser process with its pages: those opened in advance and those in use.
import { RenderFailure, type Log } from '#browser/browser.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { createPhase } from '#browser/process/deadline.ts';
import type { EgressProxy } from '#browser/egress/proxy.ts';
import { createBrowserWatch, tooBusy, type MemoryLimits } from '#browser/process/browser-watch.ts';
import { createPageStock } from '#browser/page-stock.ts';
import { openPage } from '#browser/page/page.ts';
import type { Page, Viewport } from '#browser/page/page.ts';

export interface Host {
  readonly process: ChromiumProcess;
  readonly served: number;
  readonly active: number;
  readonly browserBytes: number;
  /** A new page for one render; opened now if none is ready. */
  take(signal: AbortSignal): Promise<Page>;
  /** Discards the page. Resolves to false if the browser did not do so in time. */
  dispose(page: Page): Promise<boolean>;
  /** Opens pages in advance. */
  stock(): Promise<void>;
  /** Checks the memory and CPU time of its pages. Resolves to false if one of them keeps all others from being drawn. */
  check(): Promise<boolean>;
  /** Lowers the priority of drawing. */
  lowerDrawing(): void;
  /** Ends it, with all its renders, because a page keeps it from its other work. */
  end(): Promise<void>;
  /** Accepts no more renders; ends when the current ones have finished. */
  retire(): Promise<void>;
}

export interface HostOptions {
  process: ChromiumProcess;
  egress: EgressProxy;
  viewport: Viewport;
  warmPages: number;
  memory: MemoryLimits;
  /** True if the browser is for one render. */
  isSeparate: boolean;
  log: Log;
}

/** No page has done anything in this render yet, so another browser may succeed. */
const noPage = () =>
  new RenderFailure('crashed', 'the browser did not open a page in time', { browserLost: true });
const openMs = 20_000;
const disposeMs = 2_000;
const drawMs = 1_500;
const never = new AbortController().signal;

export function createHost(options: HostOptions): Host {
  const { process, egress, viewport, warmPages, log } = options;
  const watch = createBrowserWatch(process, options.memory, options.isSeparate, log);
  const active = new Set<Page>();
  let taking = 0;
  let served = 0;
  let isRetired = false;
  let isAsked = false;

  const pages = createPageStock<Page>({
    open,
    discard,
    isUsable: (page) => !page.fault.aborted,
    most: warmPages,
  });

  async function open(): Promise<Page> {
    // Any call to a browser that is gone fails by itself, with an error that says so.
    const phase = createPhase(never, openMs, noPage);
    const door = await egress.openDoor();
    try {
      return await openPage(
        {
          process,
          door,
          viewport,
          whyEnded: () => watch.whyEnded(door),
          onProcess: (pid) => watch.own(pid, door),
        },
        phase.signal,
      );
    } catch (error) {
      await door.close();
      throw error;
    } finally {
      phase.end();
    }
  }

  async function discard(page: Page): Promise<boolean> {
    const phase = createPhase(process.gone, disposeMs, () => new Error('not disposed in time'));
    try {
      await page.dispose(phase.signal);
      return true;
    } catch {
      return process.gone.aborted;
    } finally {
      phase.end();
      await page.door.close();
    }
  }

  /** The process that draws never rests: this is a fault only if a blank page is not drawn either. One question at a time. */
  async function drawsOthers(): Promise<boolean> {
    if (isAsked) return true;
    isAsked = true;
    const phase = createPhase(process.gone, drawMs, () => new Error('not drawn in time'));
    try {
      const page = await pages.take(phase.signal);
      try {
        await drawBlank(page, phase.signal);
        return true;
      } finally {
        await discard(page);
      }
    } catch {
      return process.gone.aborted || !watch.isDrawing;
    } finally {
      phase.end();
      isAsked = false;
    }
  }

  async function endIfIdle(): Promise<void> {
    if (!isRetired || active.size + taking > 0) return;
    await closeDoors(pages.end());
    await process.close();
  }

  return {
    process,
    get served() {
      return served;
    },
    get active() {
      return active.size;
    },
    get browserBytes() {
      return watch.browserBytes;
    },
    async take(signal) {
      served += 1;
      taking += 1;
      try {
        const page = await pages.take(signal);
        active.add(page);
        return page;
      } finally {
        taking -= 1;
        await endIfIdle();
      }
    },
    async dispose(page) {
      active.delete(page);
      const isDone = await discard(page);
      await endIfIdle();
      return isDone;
    },
    stock: () => pages.fill(),
    async check() {
      await watch.look();
      return !watch.isDrawing || (await drawsOthers());
    },
    lowerDrawing: watch.lowerDrawing,
    end: () => watch.endBrowser(tooBusy),
    async retire() {
      isRetired = true;
      await closeDoors(pages.end());
      await endIfIdle();
    },
  };
}

/** For pages that end with their browser. */
async function closeDoors(pages: Page[]): Promise<void> {
  await Promise.all(pages.map((page) => page.door.close()));
}

async function drawBlank({ session }: Page, signal: AbortSignal): Promise<void> {
  const clip = { x: 0, y: 0, width: 1, height: 1, scale: 1 };
  await session.send('Page.captureScreenshot', { format: 'jpeg', quality: 1, clip }, signal);
}
