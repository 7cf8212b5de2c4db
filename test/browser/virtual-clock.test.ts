// The clock of a page whose cross-site frame goes at the worst moment: while it is being given time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock } from '#browser/page/time/virtual-clock.ts';
import { createWatch } from '#browser/page/time/watch.ts';
import type { CdpSession } from '#browser/process/cdp.ts';

/** Uses up all time that it is given at once. */
function sessionOf(beforeAnswer: (method: string) => void): CdpSession {
  const onExpired: (() => void)[] = [];
  let seconds = 0;
  const session = {
    on: (_event: string, handler: () => void) => onExpired.push(handler),
    async send(method: string, { budget = 0 } = {}) {
      beforeAnswer(method);
      seconds += budget / 1000;
      if (budget > 0) setImmediate(() => onExpired.forEach((handler) => handler()));
      return { metrics: [{ name: 'Timestamp', value: seconds }] };
    },
  };
  return session as unknown as CdpSession;
}

test('a frame that goes while it is given time does not fail the render of its page', async () => {
  const lifetime = new AbortController();
  const page = sessionOf(() => {});
  const clock = createVirtualClock(page, createWatch(), lifetime.signal, () => assert.fail('no script runs'));
  const frame = sessionOf((method) => {
    clock.leave(frame);
    throw new Error(`${method}: the session is over`);
  });
  clock.join(page);
  clock.join(frame);
  const when = { isOver: () => false, isStuck: () => false };
  try {
    await clock.runAhead(100, when, lifetime.signal);
  } finally {
    clock.stop();
    lifetime.abort();
  }
});
