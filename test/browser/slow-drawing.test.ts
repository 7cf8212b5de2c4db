// How long a capture may take. A page that answers may be slow to draw; one that does not is stuck. Spec 4.3 (total budget).
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import sharp from 'sharp';
import type { RenderFailure } from '#browser/browser.ts';
import { plainPicture } from '#browser/job.ts';
import { createDeadline } from '#browser/process/deadline.ts';
import { capture } from '#browser/page/picture/capture.ts';
import type { Page } from '#browser/page/page.ts';

const size = { width: 320, height: 320 };
const wanted = { ...plainPicture, view: { ...size, pixelRatio: 1 }, area: undefined, patches: [], scale: 1 };
const picture = await sharp({ create: { ...size, channels: 3, background: '#fff' } })
  .png()
  .toBuffer();

/** A page whose picture comes after this time; it answers other commands at once or never. */
function pageThatDraws(afterMs: number, answers: boolean): Page {
  const waitFor = <T>(ms: number, value: T, signal: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      // oxlint-disable-next-line tests/no-pauses -- the test moves this time itself
      setTimeout(() => resolve(value), ms);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const session = {
    capture: (_: object, __: number, signal: AbortSignal) => waitFor(afterMs, picture, signal),
    send: (_: string, __: object, signal: AbortSignal) => waitFor(answers ? 0 : 3_600_000, {}, signal),
  };
  return { session } as unknown as Page;
}

const cases = [
  { title: 'a page that draws at once', afterMs: 10, answers: true, fails: false },
  { title: 'a page that draws after 20 s and answers', afterMs: 20_000, answers: true, fails: false },
  { title: 'a page that draws after 20 s and is stuck', afterMs: 20_000, answers: false, fails: true },
  { title: 'a page that answers and does not draw', afterMs: 40_000, answers: true, fails: true },
];
for (const { title, afterMs, answers, fails } of cases) {
  test(`4.3 ${title} ${fails ? 'is given up' : 'is shown'}`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const deadline = createDeadline(60_000, 60_000, new AbortController().signal);
      const ended = capture(pageThatDraws(afterMs, answers), wanted, () => {}, deadline).then(
        ({ bytes }) => bytes,
        (error: RenderFailure) => error.reason,
      );
      for (let second = 0; second < 45; second += 1) {
        mock.timers.tick(1_000);
        await new Promise(setImmediate);
      }
      assert.deepEqual(await ended, fails ? 'timed_out' : picture);
    } finally {
      mock.timers.reset();
    }
  });
}
