// How many events of one page are read: a burst and a rate, and none after that.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { connectCdp } from '#browser/process/cdp.ts';
import { createEventAllowance, isEvent, methodOf, sessionOf } from '#browser/process/event-allowance.ts';

test('a burst and a moderate rate are read; a flood is reported once and no longer read', () => {
  let now = 0;
  let reports = 0;
  const allowance = createEventAllowance(() => now);
  allowance.onSpent(() => (reports += 1));
  const spend = (count: number) =>
    Array.from({ length: count }, () => allowance.spend()).filter(Boolean).length;
  assert.equal(spend(15_000), 15_000);
  for (let second = 1; second <= 60; second += 1) {
    now = second * 1_000;
    assert.equal(spend(1_900), 1_900);
  }
  assert.equal(reports, 0);
  assert.ok(spend(100_000) < 20_000);
  assert.equal(reports, 1);
  now += 60_000;
  assert.equal(spend(10), 0);
});

test('events are distinguished from answers, and their session is read, without parsing them', () => {
  const id = '0123456789ABCDEF0123456789ABCDEF';
  const event = `{"method":"Page.windowOpen","params":{"url":"x"},"sessionId":"${id}"}`;
  assert.equal(isEvent(event), true);
  assert.equal(sessionOf(event), id);
  assert.equal(methodOf(event), 'Page.windowOpen');
  assert.equal(isEvent(`{"id":7,"result":{},"sessionId":"${id}"}`), false);
});

test('an event without a handler is not parsed, but counts; one with a handler arrives, of the browser itself too', async () => {
  const output = new PassThrough();
  const broken: string[] = [];
  const connection = connectCdp(new PassThrough(), output, (reason) => broken.push(reason));
  const session = connection.session('A'.repeat(32));
  const heard: string[] = [];
  session.on('Page.loadEventFired', () => heard.push('page'));
  connection.root.on('Target.targetCreated', () => heard.push('browser'));
  let floods = 0;
  session.onFlood(() => (floods += 1));
  const end = `"sessionId":"${'A'.repeat(32)}"}\0`;
  // Parsing this would break the connection.
  output.write(`{"method":"Network.policyUpdated","params":not JSON,${end}`);
  output.write(`{"method":"Page.loadEventFired","params":{},${end}`);
  output.write('{"method":"Target.targetCreated","params":{}}\0');
  while (heard.length < 2) await nextTurn();
  assert.deepEqual([heard, broken, floods], [['page', 'browser'], [], 0]);
  output.write(`{"method":"Network.policyUpdated","params":{},${end}`.repeat(200_000));
  while (floods === 0) await nextTurn();
});

test('a session that floods the pipe is reported once and its events are dropped; its answers and other sessions are still read', async () => {
  const output = new PassThrough();
  const connection = connectCdp(new PassThrough(), output, () => {});
  const [noisy, quiet] = ['A', 'B'].map((letter) => letter.repeat(32)) as [string, string];
  const sessions = [noisy, quiet].map((id) => connection.session(id));
  const heard = [0, 0];
  let floods = 0;
  for (const [index, session] of sessions.entries()) {
    session.on('Network.dataReceived', () => (heard[index]! += 1));
    session.onFlood(() => (floods += 1));
  }
  const event = (id: string) => `{"method":"Network.dataReceived","params":{},"sessionId":"${id}"}\0`;
  const answer = sessions[0]!.send('Page.enable', {});
  output.write(event(noisy).repeat(200_000));
  output.write(`{"id":1,"result":{},"sessionId":"${noisy}"}\0${event(quiet)}`);
  await answer;
  while (heard[1] === 0) await nextTurn();
  assert.equal(floods, 1);
  assert.ok(heard[0]! >= 15_000 && heard[0]! < 100_000, String(heard[0]));
  assert.equal(heard[1], 1);
});
