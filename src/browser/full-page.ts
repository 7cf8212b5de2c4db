// Makes a long page show all of itself: scrolls through it so that lazy images and observers fire, returns to the top,
// waits for pictures and fonts, and tells how tall it is. Spec 4.3 (full_page), design section 5 (capture).
import type { Deadline } from '#browser/deadline.ts';
import type { Page } from '#browser/page.ts';
import { settle } from '#browser/settle.ts';

const scrollMs = 8_000;
const mostSteps = 250;
const decodeMs = 2_000;
const lazyVirtualMs = 1_000;

/** Answers the height of the page in CSS pixels; scrolls no further than `limitPx`. */
export async function revealFullPage(page: Page, limitPx: number, deadline: Deadline): Promise<number> {
  const run = await isolatedWorld(page, deadline.signal);
  const isLong = await run<boolean>('root().scrollHeight > innerHeight', deadline.signal);
  if (isLong) {
    await atMost(scrollMs, deadline, (signal) => run(`scrollThrough(${mostSteps}, ${limitPx})`, signal));
    await run('toTop()', deadline.signal);
    await settle(page, deadline, lazyVirtualMs);
  }
  await atMost(decodeMs, deadline, (signal) => run('picturesDecoded()', signal));
  const { cssContentSize } = await page.session.send('Page.getLayoutMetrics', undefined, deadline.signal);
  return Math.ceil(cssContentSize.height);
}

/** A page may have replaced any function of its own world; in this one they are the browser's. */
async function isolatedWorld(page: Page, signal: AbortSignal) {
  const { session, frameId } = page;
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId }, signal);
  return async <T>(expression: string, until: AbortSignal): Promise<T> => {
    const { result } = await session.send(
      'Runtime.evaluate',
      {
        expression: `(() => { ${inPage}; return ${expression}; })()`,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      },
      until,
    );
    return result.value as T;
  };
}

/** One frame per step: a position that was drawn is one that observers and lazy images have seen. */
const inPage = `
  const root = () => document.scrollingElement ?? document.documentElement;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const scrollTo = (top) => window.scrollTo({ top, behavior: 'instant' });
  const toTop = () => { window.scrollTo({ top: 0, left: 0, behavior: 'instant' }); };
  const scrollThrough = async (mostSteps, limit) => {
    for (let step = 1; step <= mostSteps; step += 1) {
      const top = step * innerHeight;
      if (top >= Math.min(root().scrollHeight, limit)) break;
      scrollTo(top);
      await frame();
    }
    await frame();
  };
  const picturesDecoded = () => Promise.all([
    document.fonts.ready,
    ...[...document.images].filter((image) => image.complete && image.naturalWidth > 0)
      .map((image) => image.decode().catch(() => {})),
  ]).then(() => true)`;

/** What is not done by then is left as it is. */
async function atMost(budgetMs: number, deadline: Deadline, work: (signal: AbortSignal) => Promise<unknown>) {
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
