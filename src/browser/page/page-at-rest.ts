// Makes sure that a picture shows a page at rest: observers, idle callbacks and frames that came due with the first frame have
// run, and finite animations are at their end. Virtual time by itself leaves these half way.
import { CdpError, type CdpSession } from '#browser/process/cdp.ts';
import { pause } from '#browser/process/deadline.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { openWorld } from '#browser/page/isolated-world.ts';
import type { IsolatedWorld } from '#browser/page/isolated-world.ts';
import type { Page } from '#browser/page/page.ts';
import { runAhead } from '#browser/page/settle.ts';

/** `empty`: nothing visible yet. Databases, caches and compilers answer in real time, which virtual time outruns. */
type State = 'at rest' | 'moving' | 'empty';

// A page that moves forever, or shows nothing, is captured as it is after this time.
const restMs = 1_000;
const emptyMs = 2_500;
const virtualMs = 100;
const callbackMs = 50;
const idleMs = 50;
// Six seconds, because an animation may begin only with a frame that is drawn after the page's three seconds.
const finishMs = 6_000;
const lookMs = 3_000;
const firstFrameMs = 500;

export type TakeAtRest = <T>(take: () => Promise<T>) => Promise<T>;

/**
 * Called before the page settles. Waits for the page's first frame, because lazy images are requested and motions begin with a frame,
 * and on a quiet machine the page's three seconds would be over before it. The returned function takes the picture at once and
 * checks at the same time whether the page is at rest: most pages are, and then the check costs no time. Otherwise the page gets a
 * moment and is captured again. A page that is known to move gets that moment first.
 */
export async function prepareAtRest(page: Page, deadline: Deadline): Promise<TakeAtRest> {
  const shown = page.mainFrame.documents;
  const early = await firstFrame(page, deadline);
  return async (take) => {
    const look = deadline.phase(lookMs, () => new Error('the page does not answer'));
    try {
      const isSame = page.mainFrame.documents === shown;
      const prepared = isSame ? early : undefined;
      if (prepared === 'still' && !page.isAnimated) return await take();
      const world = prepared instanceof Object ? prepared : await openWorld(page, inPage, look.signal);
      // While something moves, the browser may draw frames in which parts of the page are missing.
      const isMoving = page.isAnimated && (await world.run<number>('finish()', look.signal)) > 0;
      if (!isMoving) {
        const taken = take();
        const [picture, state] = await Promise.all([
          taken,
          // If a page no longer answers but was drawn, that picture is good enough.
          stateOf(page, world, taken, look.signal).catch(() => 'at rest' as const),
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

/** Undefined if the page is too busy to answer, or is being replaced by another document. */
async function firstFrame(page: Page, deadline: Deadline): Promise<IsolatedWorld | 'still' | undefined> {
  const tooBusy = new Error('the page draws no frame');
  const phase = deadline.phase(firstFrameMs, () => tooBusy);
  let prepared: IsolatedWorld | 'still' | undefined;
  try {
    prepared = await openWorldIfMoving(page, phase.signal);
    if (prepared !== 'still') await prepared.run('oneFrame()', phase.signal);
  } catch (error) {
    if (error !== tooBusy && !isReplaced(error)) throw error;
  } finally {
    phase.end();
  }
  return prepared;
}

const isReplaced = (error: unknown): boolean => error instanceof CdpError && !error.connectionLost;

/**
 * A document without scripts and frames does not change unless something in it is animated, so two more frames, a tenth of the
 * cost of a small page, are not needed. The browser is asked, because an isolated world would itself cost a thirtieth.
 */
async function openWorldIfMoving(page: Page, signal: AbortSignal): Promise<IsolatedWorld | 'still'> {
  const mayMove = await hasMoving(page.session, signal).catch((error: unknown) => {
    if (isReplaced(error)) return true;
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

/** A document that was opened at an anchor may be scrolling there. */
const moving =
  'script,iframe,frame,object,embed,[onload],[onerror],[loading],[src*=svg i],:target,animate,animateTransform,animateMotion,set';

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
      state = await stateOf(page, world, pause(idleMs, empty.signal), empty.signal);
    }
  } catch (error) {
    if (error !== enough) throw error;
  } finally {
    moving.end();
    empty.end();
  }
}

/**
 * Observers notice a change within a frame, but their callbacks are tasks, and tasks need time, even if it is virtual. Idle
 * callbacks need real time. A page that draws without end never has any, so they are waited for only until `enough`.
 */
async function stateOf(
  page: Page,
  world: IsolatedWorld,
  enough: Promise<unknown>,
  signal: AbortSignal,
): Promise<State> {
  await world.run('watchTwoFrames()', signal);
  await Promise.race([world.run('idle()', signal), enough]);
  await runAhead(page, callbackMs, { network: signal, work: signal });
  return world.run<State>('state()', signal);
}

// Drawing into a canvas changes no element, so small copies of the first few canvases are compared.
const mostCanvases = 8;
const samplePx = 32;
/** How many frames of each document are looked at. */
const mostFrames = 50;
const content = 'img,svg,canvas,video,iframe,object,embed,input,button,hr,frame';
/** How many elements are searched for something visible. A page with more of them does not count as empty. */
const mostElements = 500;

/**
 * Animations that stand still, never end or end much later stop where they are. The clock of an SVG begins with its first frame.
 * If it is advanced before that, it reports the new time, but the picture does not change. A canvas without an area, or with
 * pictures of other origins, cannot be read and counts as unchanged. A global variable that was never assigned is the element
 * with that id, if there is one. So global variables are assigned before they are read, or kept under a symbol.
 */
const inPage = `
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const oneFrame = async () => {
    await frame();
    const { port1, port2 } = new MessageChannel();
    await new Promise((resolve) => { port1.onmessage = resolve; port2.postMessage(0); });
  };
  const idle = () => new Promise((resolve) => { requestIdleCallback(() => resolve()); });
  const watchTwoFrames = async () => {
    globalThis.hasChanged = finish() > 0;
    globalThis.observer = new MutationObserver(() => { globalThis.hasChanged = true; });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    globalThis.drawn = drawings();
    globalThis.scrolled = [scrollX, scrollY].join();
    // What WebGL has drawn can be read only until its frame is shown.
    await frame();
    const atFirst = drawings();
    await frame();
    if (drawings() !== atFirst) globalThis.hasChanged = true;
  };
  const state = () => {
    observer.disconnect();
    const isAtRest = finish() === 0 && !hasChanged && drawings() === drawn && [scrollX, scrollY].join() === scrolled;
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
    if (!body) return document instanceof HTMLDocument;
    if (body.querySelector('${content}') || body.innerText.trim() !== '') return false;
    let left = ${mostElements};
    const paints = (element) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      return backgroundImage !== 'none' || !['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)'].includes(backgroundColor);
    };
    const hasText = (element) => [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '');
    const isSeen = (element) => {
      if (element.matches('style,script,noscript,template') || !element.checkVisibility()) return false;
      if (element.matches('${content}') || paints(element) || hasText(element)) return true;
      left -= 1;
      return left < 0 || [...element.children, ...(element.shadowRoot?.children ?? [])].some(isSeen);
    };
    try {
      return !paints(document.documentElement) && !isSeen(body);
    } catch {
      // A field that is named after a method, such as "matches", hides that method of its form.
      return false;
    }
  };
  /** The document and those in its frames, except frames of other sites. */
  const documents = (of = document) => {
    const frames = [...of.querySelectorAll('iframe,frame,object,embed')].slice(0, ${mostFrames});
    return [of, ...frames.flatMap(({ contentDocument }) => contentDocument ? documents(contentDocument) : [])];
  };
  const finishOne = (animation) => {
    const { endTime } = animation.effect?.getComputedTiming() ?? {};
    const isTimed = animation.timeline?.constructor.name === 'DocumentTimeline' && typeof endTime === 'number';
    if (animation.playState !== 'running' || !isTimed) return 0;
    if (animation.playbackRate === 0 || endTime - animation.currentTime > ${finishMs}) {
      animation.pause();
      return 0;
    }
    animation.finish();
    return 1;
  };
  const advanced = globalThis[Symbol.for('advanced')] ??= new WeakSet();
  const finish = () => {
    let finished = 0;
    const all = documents();
    for (const animation of all.flatMap((each) => each.getAnimations())) finished += finishOne(animation);
    for (const svg of all.flatMap((each) => [...each.querySelectorAll('svg:has(animate,animateTransform,animateMotion,set)')])) {
      // An element of HTML may be named svg too.
      if (!svg.setCurrentTime || svg.animationsPaused() || advanced.has(svg)) continue;
      finished += 1;
      if (svg.getCurrentTime() === 0) continue;
      svg.setCurrentTime(svg.getCurrentTime() + ${finishMs / 1e3});
      advanced.add(svg);
    }
    return finished;
  }`;
