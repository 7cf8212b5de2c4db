// Makes a long page show all of its content: scrolls through it so that lazy images and observers fire, returns to its start,
// waits for pictures and fonts, and measures it. Spec 4.3 (full_page).
import type { Deadline } from '#browser/process/deadline.ts';
import { captureFarFrames } from '#browser/page/far-frames.ts';
import type { Patch } from '#browser/page/far-frames.ts';
import { openWorld } from '#browser/page/isolated-world.ts';
import type { IsolatedWorld } from '#browser/page/isolated-world.ts';
import type { Page, Viewport } from '#browser/page/page.ts';
import { settle } from '#browser/page/settle.ts';
import { settleMotion } from '#browser/page/page-at-rest.ts';

const scrollMs = 8_000;
const mostSteps = 250;
const decodeMs = 2_000;
const framesMs = 5_000;
const lazyVirtualMs = 1_000;

/** Where the page begins for its reader, and how tall it is. */
export interface PageExtent {
  /** What the viewport shows before any scrolling, in CSS pixels from the left and top edge of the document. */
  start: { x: number; y: number };
  height: number;
  /** Pictures to set into the capture. */
  patches: Patch[];
}

/** Scrolls no further than `limitPx`. */
export async function revealFullPage(
  page: Page,
  viewport: Viewport,
  limitPx: number,
  deadline: Deadline,
): Promise<PageExtent> {
  const world = await openWorld(page, inPage, deadline.signal);
  await world.run('toStart()', deadline.signal);
  if (await world.run<boolean>('root().scrollHeight > innerHeight', deadline.signal)) {
    await atMost(scrollMs, deadline, (signal) =>
      world.run(`scrollThrough(${mostSteps}, ${limitPx})`, signal),
    );
    await world.run('toStart()', deadline.signal);
    await settle(page, deadline, lazyVirtualMs);
  }
  const patches = page.frames.size > 0 ? await patchesOf(page, world, viewport, deadline) : [];
  await settleMotion(page, deadline);
  await atMost(decodeMs, deadline, (signal) => world.run('picturesDecoded()', signal));
  return { ...(await extentOf(page, deadline)), patches };
}

async function extentOf(page: Page, { signal }: Deadline): Promise<Omit<PageExtent, 'patches'>> {
  const metrics = await page.session.send('Page.getLayoutMetrics', undefined, signal);
  const { cssContentSize, cssLayoutViewport } = metrics;
  return {
    start: { x: cssLayoutViewport.pageX, y: cssLayoutViewport.pageY },
    height: Math.ceil(cssContentSize.height),
  };
}

/** Empty if the height of the page changed meanwhile. */
async function patchesOf(
  page: Page,
  world: IsolatedWorld,
  viewport: Viewport,
  deadline: Deadline,
): Promise<Patch[]> {
  const { start, height } = await extentOf(page, deadline);
  const patches: Patch[] = [];
  await atMost(framesMs, deadline, (signal) =>
    captureFarFrames(page, world, { start, viewport }, patches, signal),
  );
  await world.run('toStart()', deadline.signal);
  await world.run('frame()', deadline.signal);
  return (await extentOf(page, deadline)).height === height ? patches : [];
}

/**
 * A position counts as seen once a frame was drawn there: a script scrolls to it in one frame, and the next frame moves on. The
 * start is (0, 0) in every writing mode; in some modes the page extends to the left or upwards, at negative positions. Elements
 * with `content-visibility: auto` would only be drawn near the viewport.
 */
const inPage = `
  const root = () => document.scrollingElement ?? document.documentElement;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const toStart = () => { window.scrollTo({ top: 0, left: 0, behavior: 'instant' }); };
  const scrollThrough = async (mostSteps, limit) => {
    await frame();
    await frame();
    window.scrollTo({ top: -1, behavior: 'instant' });
    const direction = window.scrollY < 0 ? -1 : 1;
    for (let step = 1; step <= mostSteps; step += 1) {
      const top = step * innerHeight;
      if (top >= Math.min(root().scrollHeight, limit)) break;
      window.scrollTo({ top: direction * top, behavior: 'instant' });
      await frame();
    }
    drawAll();
    toStart();
    await frame();
  };
  const drawAll = () => {
    for (const element of document.querySelectorAll('*')) {
      if (getComputedStyle(element).contentVisibility !== 'auto') continue;
      element.style.setProperty('content-visibility', 'visible', 'important');
    }
  };
  const picturesDecoded = () => Promise.all([
    document.fonts.ready,
    ...[...document.images].filter((image) => image.complete && image.naturalWidth > 0)
      .map((image) => image.decode().catch(() => {})),
  ]).then(() => true)`;

/** Whatever is not loaded by then stays as it is. */
async function atMost(
  budgetMs: number,
  deadline: Deadline,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const enough = new Error('long enough');
  const phase = deadline.phase(budgetMs, () => enough);
  try {
    await work(phase.signal);
  } catch (error) {
    if (error !== enough) throw error;
  } finally {
    phase.end();
  }
}
