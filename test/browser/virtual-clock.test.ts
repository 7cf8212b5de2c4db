// The clock of a page whose cross-site frame goes at the worst moment: while it is being given time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock } from '#browser/page/virtual-clock.ts';
import { createWatch } from '#browser/page/watch.ts';
import type { CdpSession } from '#browser/process/cdp.ts';

/** Answers every command, and uses up all time that it is given at once. */
function sessionOf(answer: (method: string) => Promise<unknown>): CdpSession {
  const onExpired: (() => void)[] = [];
  const session = {
    on: (_event: string, handler: () => void) => onExpired.push(handler),
    async send(method: string) {
      const answered = await answer(method);
      if (method === 'Emulation.setVirtualTimePolicy')
        setImmediate(() => onExpired.forEach((handler) => handler()));
      return answered;
    },
  };
  return session as unknown as CdpSession;
}

test('a frame that goes while it is given time does not fail the render of its page', async () => {
  const lifetime = new AbortController();
  const page = sessionOf(async (method) => (method === 'Performance.getMetrics' ? { metrics: [] } : {}));
  const clock = createVirtualClock(page, createWatch(), lifetime.signal, () => assert.fail('no script runs'));
  const frame = sessionOf(async (method) => {
    clock.leave(frame);
    throw new Error(`${method}: the session is over`);
  });
  clock.join(page);
  clock.join(frame);
  const when = { isOver: () => false, isStuck: () => false, isWaiting: () => false };
  try {
    await clock.runAhead(100, when, lifetime.signal);
  } finally {
    clock.stop();
    lifetime.abort();
  }
});
