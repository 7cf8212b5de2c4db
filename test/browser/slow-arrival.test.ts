// A page that navigates by itself is shown where it arrives: the server has three seconds to answer, and a slow browser has longer to show
// what came. Spec 4.3 (network settle).
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mock, test } from 'node:test';
import { createDeadline } from '#browser/process/deadline.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import { followMainFrame } from '#browser/page/main-frame.ts';
import type { Page } from '#browser/page/page.ts';
import { settle } from '#browser/page/open/settle.ts';
import { createWatch } from '#browser/page/time/watch.ts';

const url = 'http://page.test/next';

/** A loaded page that has asked for its next document. It counts how often its loading is stopped. */
function leavingPage() {
  const events = new EventEmitter();
  let stopped = 0;
  const session = {
    on: events.on.bind(events),
    send: async (method: string) => void (stopped += Number(method === 'Page.stopLoading')),
  } as unknown as CdpSession;
  const changes = createWatch();
  const none = { ofError: () => undefined, ofAnswer: () => undefined };
  const mainFrame = followMainFrame(session, 'frame', none, changes);
  const navigated = (loaderId: string) => {
    events.emit('Page.frameNavigated', { frame: { id: 'frame', loaderId } });
    events.emit('Page.loadEventFired', {});
  };
  const request = { type: 'Document', frameId: 'frame', loaderId: 'next', requestId: 'next' };
  navigated('first');
  events.emit('Network.requestWillBeSent', request);
  const page = {
    session,
    changes,
    mainFrame,
    traffic: { awaited: 0, inFlight: 0, workers: 0 },
    clock: { runAhead: async () => {} },
  };
  return {
    page: page as unknown as Page,
    answer: () => events.emit('Network.responseReceived', { ...request, response: { headers: {}, url } }),
    show: () => navigated('next'),
    stops: () => stopped,
  };
}

const cases = [
  { title: 'shown 8 s after the answer: waited for', answeredAt: 1, shownAt: 9, isShown: true },
  { title: 'answered after 5 s: not waited for', answeredAt: 5, shownAt: 6, isShown: false },
  { title: 'never shown: given up', answeredAt: 1, shownAt: 20, isShown: false },
];
for (const { title, answeredAt, shownAt, isShown } of cases) {
  test(`4.3 the next document is ${title}`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { page, answer, show, stops } = leavingPage();
      const deadline = createDeadline(60_000, 60_000, new AbortController().signal);
      const settled = settle(page, deadline).then(() => [page.mainFrame.documents, stops()]);
      for (let second = 1; second < 15; second += 1) {
        mock.timers.tick(1_000);
        if (second === answeredAt) answer();
        if (second === shownAt) show();
        await new Promise(setImmediate);
      }
      assert.deepEqual(await settled, isShown ? [2, 0] : [1, 1]);
    } finally {
      mock.timers.reset();
    }
  });
}
