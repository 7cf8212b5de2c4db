// Makes a long page show all of its content: scrolls through it so that lazy images and observers fire, returns to its start,
// waits for pictures and fonts, and measures it. Spec 4.3 (full_page).
import type { Deadline } from '#browser/process/deadline.ts';
import { atMost } from '#browser/page/time/at-most.ts';
import { captureFarFrames } from '#browser/page/picture/far-frames.ts';
import type { Patch } from '#browser/page/picture/encode.ts';
import { openWorld } from '#browser/page/isolated-world.ts';
import type { IsolatedWorld } from '#browser/page/isolated-world.ts';
import type { Viewport } from '#browser/job.ts';
import type { Page } from '#browser/page/page.ts';
import { settle } from '#browser/page/open/settle.ts';
import { bringToRest } from '#browser/page/open/page-at-rest.ts';
import { afterScrollVirtualMs, decodeMs, farFramesMs, scrollMs } from '#browser/page/time/times.ts';

const maxSteps = 250;

/** Where the page begins for its reader, and how large it is. */
export interface PageExtent {
  /** What the viewport shows before any scrolling, in CSS pixels from the left and top edge of the document. */
  start: { x: number; y: number };
  /** At least those of the viewport. */
  width: number;
  height: number;
  /** The scale of what the viewport shows: a page that is not made for small screens is shown smaller there. */
  scale: number;
  /** Pictures to set into the capture. */
  patches: Patch[];
}

/** Leaves the page at its start. Scrolls no further than `limitPx`. */
export async function revealFullPage(
  page: Page,
  viewport: Viewport,
  limitPx: number,
  deadline: Deadline,
): Promise<PageExtent> {
  const { signal: whole } = deadline;
  const world = await openWorld(page, whole);
  await world.run('toStart', [], whole);
  if (await world.run('isScrollable', [], whole)) {
    await atMost(scrollMs, whole, (signal) => world.run('scrollThrough', [maxSteps, limitPx], signal));
    await world.run('toStart', [], whole);
    await settle(page, deadline, afterScrollVirtualMs);
  }
  const patches = page.frames.size > 0 ? await patchesOf(page, world, viewport, whole) : [];
  await bringToRest(page, world, whole);
  await atMost(decodeMs, whole, (signal) => world.run('picturesDecoded', [], signal));
  return { ...(await extentOf(page, whole)), patches };
}

/** `start` only if the page is at its start. */
export async function extentOf(page: Page, signal: AbortSignal): Promise<Omit<PageExtent, 'patches'>> {
  const metrics = await page.session.send('Page.getLayoutMetrics', undefined, signal);
  const { cssContentSize, cssLayoutViewport, cssVisualViewport } = metrics;
  return {
    start: { x: cssLayoutViewport.pageX, y: cssLayoutViewport.pageY },
    width: Math.ceil(cssContentSize.width),
    height: Math.ceil(cssContentSize.height),
    scale: cssVisualViewport.scale,
  };
}

/** Empty if the height of the page changed meanwhile. */
async function patchesOf(
  page: Page,
  world: IsolatedWorld,
  viewport: Viewport,
  whole: AbortSignal,
): Promise<Patch[]> {
  const { start, height } = await extentOf(page, whole);
  const patches: Patch[] = [];
  await atMost(farFramesMs, whole, (signal) =>
    captureFarFrames(page, world, { start, viewport }, patches, signal),
  );
  await world.run('toStart', [], whole);
  await world.run('frame', [], whole);
  return (await extentOf(page, whole)).height === height ? patches : [];
}
