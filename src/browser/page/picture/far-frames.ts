// Cross-site frames outside the viewport. They run in their own processes, and the browser leaves them blank until they are
// scrolled to. So the page is scrolled to each frame, the frame is captured there, and its picture is set into that of the whole
// page.
import type { CdpSession } from '#browser/process/cdp.ts';
import { atMost } from '#browser/page/time/at-most.ts';
import type { Area, Patch } from '#browser/page/picture/encode.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { hasContent, twoFrames } from '#browser/page/in-page/far-frame.ts';
import type { IsolatedWorld, RemoteElement } from '#browser/page/isolated-world.ts';
import type { Viewport } from '#browser/job.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { farFrameDrawMs } from '#browser/page/time/times.ts';

const maxParts = 24;
const maxBytes = 32 * 1024 * 1024;

/** A frame's position, in CSS pixels from the start of the page. */
interface FarFrame {
  element: RemoteElement;
  session: CdpSession;
  place: Area;
}

/**
 * Adds to `patches`, so that those captured so far count even if time runs out. Leaves the page scrolled. A frame that something
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
  let left = maxBytes;
  for (const { element, session, place } of await farFrames(page, world, viewport, signal)) {
    for (let top = 0; top < place.height && patches.length < maxParts; top += partPx) {
      const height = Math.min(partPx, place.height - top);
      if (!(await world.run('showPart', [element, top, height], signal))) continue;
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
      const element = await world.elementOf(backendNodeId, signal);
      const place = await world.run('placeOf', [element], signal);
      const isSeen = place.width >= 2 && place.height >= 2 && place.x >= 0 && place.x < viewport.width;
      const isFar = place.y >= viewport.height || place.y + place.height <= 0;
      if (isSeen && isFar && (await hasContentIn(session, signal))) found.push({ element, session, place });
    } catch (error) {
      // It has just gone, or is inside a cross-site frame, which draws it.
      if (!isRefusal(error)) throw error;
    }
  }
  return found;
}

async function hasContentIn(session: CdpSession, signal: AbortSignal): Promise<boolean> {
  const { result } = await session.send('Runtime.evaluate', { expression: callOf(hasContent) }, signal);
  return result.value === true;
}

/** A frame that is not drawn gets no animation frames, so this waits until the browser has noticed that it is visible. */
async function drawn(session: CdpSession, signal: AbortSignal): Promise<void> {
  const call = { expression: callOf(twoFrames), awaitPromise: true };
  await atMost(farFrameDrawMs, signal, (until) =>
    session.send('Runtime.evaluate', call, until).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    }),
  );
}
