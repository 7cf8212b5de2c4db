// Frames of other sites that lie beyond the viewport. They have processes of their own, and the browser leaves them blank until
// they are scrolled to. So each is captured where it is scrolled to, and set into the picture of the whole page.
import { createPhase } from '#browser/process/deadline.ts';
import { CdpError, type CdpSession } from '#browser/process/cdp.ts';
import type { Area } from '#browser/page/capture.ts';
import type { IsolatedWorld } from '#browser/page/isolated-world.ts';
import type { Page, Viewport } from '#browser/page/page.ts';

/** A part of the document as it looks when a reader has scrolled to it. */
export interface Patch extends Area {
  png: Buffer;
}

const mostParts = 24;
const mostBytes = 32 * 1024 * 1024;
const drawMs = 1_000;

/** A frame in its place, in CSS pixels from the start of the page. */
interface FarFrame {
  objectId: string;
  session: CdpSession;
  place: Area;
}

/**
 * Adds to `patches`, so that what was taken counts even if time runs out. Leaves the page scrolled. What is covered where it is scrolled to, by a cookie wall for example, is left out: a patch would
 * show the wall in the middle of the page.
 */
export async function captureFarFrames(
  page: Page,
  world: IsolatedWorld,
  { start, viewport }: { start: { x: number; y: number }; viewport: Viewport },
  patches: Patch[],
  signal: AbortSignal,
): Promise<void> {
  // A part in the middle of the viewport is clear of headers and footers that stay in view.
  const partPx = Math.floor((viewport.height * 2) / 3);
  let left = mostBytes;
  for (const { objectId, session, place } of await farFrames(page, world, viewport, signal)) {
    for (let top = 0; top < place.height && patches.length < mostParts; top += partPx) {
      const height = Math.min(partPx, place.height - top);
      if (!(await world.call<boolean>(objectId, show, [top, height], signal))) continue;
      await drawn(session, signal);
      const area = {
        x: start.x + place.x,
        y: start.y + place.y + top,
        width: Math.min(place.width, viewport.width - place.x),
        height,
      };
      const clip = { ...area, scale: 1 };
      const png = await page.session.capture({ format: 'png', clip, optimizeForSpeed: true }, left, signal);
      left -= png.length;
      patches.push({ ...area, png });
    }
  }
}

async function farFrames(
  page: Page,
  world: IsolatedWorld,
  viewport: Viewport,
  signal: AbortSignal,
): Promise<FarFrame[]> {
  const found: FarFrame[] = [];
  for (const [frameId, session] of page.frames) {
    try {
      const { backendNodeId } = await page.session.send('DOM.getFrameOwner', { frameId }, signal);
      const objectId = await world.objectOf(backendNodeId, signal);
      const place = await world.call<Area>(objectId, measure, [], signal);
      const isSeen = place.width >= 2 && place.height >= 2 && place.x >= 0 && place.x < viewport.width;
      const isFar = place.y >= viewport.height || place.y + place.height <= 0;
      if (isSeen && isFar && (await hasContent(session, signal))) found.push({ objectId, session, place });
    } catch (error) {
      // It has just gone, or is inside a frame of another site, which draws it.
      if (!(error instanceof CdpError) || error.connectionLost) throw error;
    }
  }
  return found;
}

/** News pages have dozens of frames of advertisements that never came. */
async function hasContent(session: CdpSession, signal: AbortSignal): Promise<boolean> {
  const expression = `location.protocol !== 'chrome-error:' && (document.body?.childNodes.length ?? 1) > 0`;
  const { result } = await session.send('Runtime.evaluate', { expression }, signal);
  return result.value === true;
}

/** A frame that is not drawn gets no frames to animate, so this waits until the browser has noticed that it is seen. */
async function drawn(session: CdpSession, signal: AbortSignal): Promise<void> {
  const enough = new Error('long enough');
  const phase = createPhase(signal, drawMs, () => enough);
  const expression =
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';
  try {
    await session.send('Runtime.evaluate', { expression, awaitPromise: true }, phase.signal);
  } catch (error) {
    const isGone = error instanceof CdpError && !error.connectionLost;
    if (error !== enough && !isGone) throw error;
  } finally {
    phase.end();
  }
}

const measure = `function () {
  const { left, top, width, height } = this.getBoundingClientRect();
  return { x: Math.round(left), y: Math.round(top), width: Math.round(width), height: Math.round(height) };
}`;

/** Scrolls a part of the frame into the middle, and answers whether nothing covers it there. */
const show = `async function (offset, height) {
  const top = this.getBoundingClientRect().top + offset;
  window.scrollBy({ top: top - (innerHeight - height) / 2, behavior: 'instant' });
  for (let count = 0; count < 2; count += 1) await new Promise((done) => requestAnimationFrame(done));
  const box = this.getBoundingClientRect();
  const parts = [0.05, 0.5, 0.95];
  const points = parts.flatMap((x) => parts.map((y) => [box.left + box.width * x, box.top + offset + height * y]));
  return points.filter(([x]) => x < innerWidth)
    .every(([x, y]) => this.getRootNode().elementFromPoint(x, y) === this);
}`;
