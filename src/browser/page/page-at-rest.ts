// Sees to it that a picture shows a page at rest: observers, idle callbacks and frames that came due with the first
// frame have run, and animations that end are at their end. Virtual time alone leaves these half way.
import { CdpError, type CdpSession } from '#browser/process/cdp.ts';
import { within } from '#browser/process/deadline.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { openWorld } from '#browser/page/isolated-world.ts';
import type { IsolatedWorld } from '#browser/page/isolated-world.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { runAhead } from '#browser/page/settle.ts';

/** `empty`: nothing to be seen as yet. Databases, caches and compilers answer in real time, which virtual time outruns. */
type State = 'at rest' | 'moving' | 'empty';

// A page that moves for ever, or shows nothing, is taken as it is after this.
const restMs = 1_000;
const emptyMs = 2_500;
const virtualMs = 100;
const callbackMs = 50;
const lookMs = 3_000;

export type TakeAtRest = <T>(take: () => Promise<T>) => Promise<T>;

/**
 * Made ready while the page settles. Takes the picture at once and looks meanwhile whether the page was at rest: for
 * most it was, and the look costs no time. If not, it is given a moment and taken again. A page that is seen to move
 * gets that moment first.
 */
export function prepareAtRest(page: Page, deadline: Deadline): TakeAtRest {
  const shown = page.mainFrame.documents;
  const early = openWorldIfMoving(page, deadline.signal);
  ignore(early);
  return async (take) => {
    const look = deadline.phase(lookMs, () => new Error('the page does not answer'));
    try {
      const isSame = page.mainFrame.documents === shown;
      const prepared = isSame ? await within(early, look.signal) : undefined;
      if (prepared === 'still' && !page.isAnimated) return await take();
      const world = prepared instanceof Object ? prepared : await openWorld(page, inPage, look.signal);
      // While something moves, the browser may draw frames that lack parts of the page.
      const isMoving = page.isAnimated && (await world.run<number>('finish()', look.signal)) > 0;
      if (!isMoving) {
        const [picture, state] = await Promise.all([
          take(),
          // A page that no longer answers but was drawn is good enough as it was drawn.
          stateOf(page, world, look.signal).catch(() => 'at rest' as const),
        ]);
        if (state === 'at rest') return picture;
      }
      await bringToRest(page, world, deadline);
    } catch (error) {
      if (error !== look.signal.reason || deadline.signal.aborted) throw error;
    } finally {
      look.end();
    }
    return take();
  };
}

/**
 * A document without scripts and frames is still, if nothing in it is animated either: two frames more, a tenth of a small
 * page's cost, could not change it. The browser is asked, since a world of ours would itself cost a thirtieth.
 */
async function openWorldIfMoving(page: Page, signal: AbortSignal): Promise<IsolatedWorld | 'still'> {
  const mayMove = await hasMoving(page.session, signal).catch((error: unknown) => {
    // A document that is just being replaced, by itself or by another.
    if (error instanceof CdpError && !error.connectionLost) return true;
    throw error;
  });
  return mayMove ? openWorld(page, inPage, signal) : 'still';
}

async function hasMoving(session: CdpSession, signal: AbortSignal): Promise<boolean> {
  const { root } = await session.send('DOM.getDocument', { depth: 0 }, signal);
  const query = { nodeId: root.nodeId, selector: moving };
  const { nodeId } = await session.send('DOM.querySelector', query, signal);
  return nodeId !== 0;
}

const moving = 'script,iframe,frame,object,embed,[onload],[onerror]';

/** For a page that must be at rest before it is measured. */
export async function settleMotion(page: Page, deadline: Deadline): Promise<void> {
  await bringToRest(page, await openWorld(page, inPage, deadline.signal), deadline);
}

async function bringToRest(page: Page, world: IsolatedWorld, deadline: Deadline): Promise<void> {
  const enough = new Error('long enough');
  const moving = deadline.phase(restMs, () => enough);
  const empty = deadline.phase(emptyMs, () => enough);
  try {
    let state: State = 'moving';
    while (state !== 'at rest') {
      const { signal } = state === 'empty' ? empty : moving;
      await runAhead(page, virtualMs, { network: signal, work: signal });
      state = await stateOf(page, world, empty.signal);
    }
  } catch (error) {
    if (error !== enough) throw error;
  } finally {
    moving.end();
    empty.end();
  }
}

/** Observers notice within a frame, but their callbacks are tasks, and tasks need time, be it virtual. */
async function stateOf(page: Page, world: IsolatedWorld, signal: AbortSignal): Promise<State> {
  await world.run('watchTwoFrames()', signal);
  await runAhead(page, callbackMs, { network: signal, work: signal });
  return world.run<State>('state()', signal);
}

// What a script draws into a canvas changes no element, so small copies of the first few are compared.
const mostCanvases = 8;
const samplePx = 32;

/**
 * Animations without end, or with a far one, are left alone. A canvas without an area, or with pictures of other origins, cannot be
 * read and counts as unchanged.
 */
const inPage = `
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const watchTwoFrames = async () => {
    globalThis.hasChanged = false;
    globalThis.observer = new MutationObserver(() => { globalThis.hasChanged = true; });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    finish();
    globalThis.drawn = drawings();
    await frame();
    await frame();
  };
  const state = () => {
    observer.disconnect();
    const isAtRest = finish() === 0 && !hasChanged && drawings() === drawn;
    return isEmpty() ? 'empty' : isAtRest ? 'at rest' : 'moving';
  };
  const drawings = () => [...document.querySelectorAll('canvas')].slice(0, ${mostCanvases}).map((canvas) => {
    try {
      const small = new OffscreenCanvas(${samplePx}, ${samplePx}).getContext('2d', { willReadFrequently: true });
      small.drawImage(canvas, 0, 0, ${samplePx}, ${samplePx});
      return small.getImageData(0, 0, ${samplePx}, ${samplePx}).data.join();
    } catch {
      return '';
    }
  }).join(' ');
  const isEmpty = () => {
    const { body } = document;
    if (!body || body.querySelector('img,svg,canvas,video,iframe,object,embed,input,button,hr,frame')) return !body;
    const paints = (element) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      return backgroundImage !== 'none' || !['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)'].includes(backgroundColor);
    };
    return body.innerText.trim() === '' && ![document.documentElement, body, ...body.children].some(paints);
  };
  const finish = () => {
    let finished = 0;
    for (const animation of document.getAnimations()) {
      const { endTime } = animation.effect?.getComputedTiming() ?? {};
      const isTimed = animation.timeline instanceof DocumentTimeline && typeof endTime === 'number';
      if (animation.playState !== 'running' || !isTimed || endTime - animation.currentTime > 3000) continue;
      animation.finish();
      finished += 1;
    }
    return finished;
  }`;
