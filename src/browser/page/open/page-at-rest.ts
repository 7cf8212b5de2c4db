// Makes sure that a picture shows a page at rest: observers, idle callbacks and frames that came due with the first frame have
// run, and finite animations are at their end. Virtual time by itself leaves these half way.
import type { CdpSession } from '#browser/process/cdp.ts';
import { pause } from '#browser/process/deadline.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { atMost } from '#browser/page/time/at-most.ts';
import type { State } from '#browser/page/in-page/page-tools.ts';
import { openWorld } from '#browser/page/isolated-world.ts';
import type { IsolatedWorld } from '#browser/page/isolated-world.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';
import { runAhead } from '#browser/page/open/settle.ts';
import {
  callbacksVirtualMs,
  checkMs,
  emptyMs,
  firstFrameMs,
  idleCallbacksMs,
  restMs,
  restVirtualMs,
  roundsOfCalendar,
} from '#browser/page/time/times.ts';

export type CaptureAtRest = <T>(capture: () => Promise<T>) => Promise<T>;

/**
 * Called before the page settles. Waits for the page's first frame, because lazy images are requested and motions begin with a frame,
 * and on a quiet machine the page's three seconds would be over before it. The returned function captures the page at once and
 * checks at the same time whether the page is at rest: most pages are, and then the check costs no time. Otherwise the page gets a
 * moment and is captured again. A page that is known to move gets that moment first.
 */
export async function prepareAtRest(page: Page, { signal: whole }: Deadline): Promise<CaptureAtRest> {
  const shown = page.mainFrame.documents;
  const early = await firstFrame(page, whole);
  return async (capture) => {
    const prepared = page.mainFrame.documents === shown ? early : undefined;
    if (prepared === 'still' && !page.isAnimated) return await capture();
    const picture = await atMost(checkMs, whole, async (signal) => {
      const world = prepared instanceof Object ? prepared : await openWorld(page, signal);
      // While something moves, the browser may draw frames in which parts of the page are missing.
      if (!page.isAnimated || !(await world.run('finish', [], signal))) {
        const captured = capture();
        // If a page no longer answers but was drawn, that picture is good enough.
        const checked = stateOf(page, world, captured, signal).catch(() => 'at rest' as const);
        const [drawn, state] = await Promise.all([captured, checked]);
        if (state === 'at rest') return drawn;
      }
      await bringToRest(page, world, whole);
      return undefined;
    });
    return picture ?? (await capture());
  };
}

/** Undefined if the page is too busy to answer, or is being replaced by another document. */
async function firstFrame(page: Page, whole: AbortSignal): Promise<IsolatedWorld | 'still' | undefined> {
  let prepared: IsolatedWorld | 'still' | undefined;
  await atMost(firstFrameMs, whole, async (signal) => {
    try {
      prepared = (await mayMove(page.session, signal)) ? await openWorld(page, signal) : 'still';
      if (prepared !== 'still') await prepared.run('firstFrame', [], signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  });
  return prepared;
}

/**
 * A document without scripts and frames does not change unless something in it is animated, so two more frames, a tenth of the
 * cost of a small page, are not needed. The browser is asked, because an isolated world would itself cost a thirtieth.
 */
async function mayMove(session: CdpSession, signal: AbortSignal): Promise<boolean> {
  const { root } = await session.send('DOM.getDocument', { depth: 0 }, signal);
  const query = { nodeId: root.nodeId, selector: moving };
  const { nodeId } = await session.send('DOM.querySelector', query, signal);
  return nodeId !== 0;
}

/** A document that was opened at an anchor may be scrolling there. */
const moving =
  'script,iframe,frame,object,embed,[onload],[onerror],[loading],[src*=svg i],:target,animate,animateTransform,animateMotion,set';

export async function bringToRest(page: Page, world: IsolatedWorld, whole: AbortSignal): Promise<void> {
  await atMost(emptyMs, whole, (empty) =>
    atMost(restMs, empty, async (rest) => {
      let state: State = 'moving';
      // How many there are in a second depends on the machine, and a calendar would show it.
      let roundsLeft = page.clock.hasCalendar ? roundsOfCalendar : Infinity;
      while (state !== 'at rest') {
        if (state === 'moving' && roundsLeft-- <= 0) break;
        const signal = state === 'empty' ? empty : rest;
        await runAhead(page, restVirtualMs, { network: signal, work: signal });
        state = await stateOf(page, world, pause(idleCallbacksMs, empty), empty);
      }
    }),
  );
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
  await world.run('watchTwoFrames', [], signal);
  await Promise.race([world.run('idle', [], signal), enough]);
  await runAhead(page, callbacksVirtualMs, { network: signal, work: signal });
  return world.run('state', [], signal);
}
