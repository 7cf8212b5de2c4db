// Which requests count as under way when the sessions of a page report them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTraffic } from '#browser/page/traffic.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import { createWatch } from '#browser/page/time/watch.ts';

function createSession(id: string) {
  const handlers = new Map<string, (params: object) => void>();
  const session = {
    id,
    on: (event: string, handler: (params: object) => void) => handlers.set(event, handler),
  };
  return {
    session: session as unknown as CdpSession,
    tell: (event: string, params: object) => handlers.get(`Network.${event}`)!(params),
  };
}

function start() {
  const answers: string[] = [];
  const traffic = createTraffic(createWatch(), (url) => answers.push(url), { answered() {}, failed() {} });
  const [page, frame] = [createSession('page'), createSession('frame')];
  traffic.follow(page.session);
  traffic.follow(frame.session, { parent: page.session, targetId: 'F1' });
  return { traffic, page, frame, answers };
}

const url = 'http://other.test/';
const sent = (requestId: string, type: string) => ({ requestId, type, request: { url } });
const answered = (requestId: string) => ({ requestId, response: { url } });

test('the document of a cross-site frame ends in the session of the frame, and is counted once', () => {
  const { traffic, page, frame, answers } = start();
  page.tell('requestWillBeSent', sent('A1', 'Document'));
  assert.deepEqual([traffic.inFlight, traffic.awaited], [1, 1]);
  page.tell('responseReceived', answered('A1'));
  frame.tell('responseReceived', answered('A1'));
  frame.tell('loadingFinished', { requestId: 'A1' });
  assert.deepEqual([traffic.inFlight, traffic.awaited, answers], [0, 0, [url]]);
});

test('the script of a worker ends in the session of the worker', () => {
  const { traffic, page, answers } = start();
  const worker = createSession('worker');
  page.tell('requestWillBeSent', sent('W1', 'Script'));
  traffic.follow(worker.session, { parent: page.session, targetId: 'W1' });
  worker.tell('responseReceived', answered('W1'));
  assert.deepEqual([traffic.inFlight, traffic.awaited, answers], [1, 1, [url]]);
  worker.tell('loadingFinished', { requestId: 'W1' });
  assert.deepEqual([traffic.inFlight, traffic.awaited], [0, 0]);
});

test('requests of two sessions with the same number count as two, and end with their sessions', () => {
  const { traffic, page, frame } = start();
  page.tell('requestWillBeSent', sent('7.1', 'Image'));
  frame.tell('requestWillBeSent', sent('7.1', 'Image'));
  frame.tell('loadingFailed', { requestId: '7.1' });
  assert.equal(traffic.inFlight, 1);
  frame.tell('requestWillBeSent', sent('B2', 'Document'));
  traffic.forget(page.session);
  assert.equal(traffic.inFlight, 1);
  traffic.forget(frame.session);
  assert.equal(traffic.inFlight, 0);
});
