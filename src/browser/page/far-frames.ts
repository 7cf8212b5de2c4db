// Cross-site frames outside the viewport. They run in their own processes, and the browser leaves them blank until they are
// scrolled to. So the page is scrolled to each frame, the frame is captured there, and its picture is set into that of the whole
// page.
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
// On a busy machine, drawing a frame may take more than a second.
const drawMs = 2_000;

/** A frame's position, in CSS pixels from the start of the page. */
interface FarFrame {
  objectId: string;
  session: CdpSession;
  place: Area;
}

/**
 * Adds to `patches`, so that patches taken so far count even if time runs out. Leaves the page scrolled. A frame that something
 * covers after scrolling, such as a cookie wall, is omitted: its patch would show the wall in the middle of the page.
 */
export async function captureFarFrames(
  page: Page,
  world: IsolatedWorld,
  { start, viewport }: { start: { x: number; y: number }; viewport: Viewport },
  patches: Patch[],
  signal: AbortSignal,
): Promise<void> {
  // Headers and footers that stay in view do not reach the middle of the viewport.
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
      // It has just gone, or is inside a cross-site frame, which draws it.
      if (!(error instanceof CdpError) || error.connectionLost) throw error;
    }
  }
  return found;
}

/** News pages have dozens of empty frames for advertisements that never loaded. */
async function hasContent(session: CdpSession, signal: AbortSignal): Promise<boolean> {
  const expression = `location.protocol !== 'chrome-error:' && (document.body?.childNodes.length ?? 1) > 0`;
  const { result } = await session.send('Runtime.evaluate', { expression }, signal);
  return result.value === true;
}

/** A frame that is not drawn gets no animation frames, so this waits until the browser has noticed that it is visible. */
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

/** Scrolls a part of the frame into the middle; returns whether it is uncovered there. */
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
