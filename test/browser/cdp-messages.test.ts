// Messages from the debugging pipe: split at every position, and dispatched.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AnswerTooLarge, connectCdp } from '#browser/process/cdp.ts';
import { readMessages } from '#browser/process/cdp-messages.ts';

test('texts of every length arrive complete, however the pipe splits them', async () => {
  const texts = [1, 2, 3, 100, 1001].map((length) => `{"text":"${'ä'.repeat(length)}"}`);
  const all = Buffer.from(texts.map((text) => `${text}\0`).join(''));
  for (const pieceBytes of [1, 2, 3, 5, 7, 64, 65, 1000, 100_000]) {
    const heard: string[] = [];
    const output = new PassThrough();
    readMessages(output, { onMessage: (text) => heard.push(text), onTooLarge: () => {} });
    for (let at = 0; at < all.length; at += pieceBytes) output.write(all.subarray(at, at + pieceBytes));
    output.end();
    for await (const _ of output);
    assert.deepEqual(heard, texts, `${pieceBytes}`);
  }
});

test('a picture is decoded, and refused above the accepted size', async () => {
  const bytes = randomBytes(5000);
  const output = new PassThrough();
  const connection = connectCdp(new PassThrough(), output, () => {});
  const pictures = [5000, 4999].map((maxBytes) => connection.root.capture({}, maxBytes));
  for (const id of [1, 2]) output.write(`{"id":${id},"result":{"data":"${bytes.toString('base64')}"}}\0`);
  assert.deepEqual(await pictures[0], bytes);
  await assert.rejects(pictures[1]!, AnswerTooLarge);
});

test('an event without a handler is not parsed; one with a handler arrives, of the browser itself too', async () => {
  const output = new PassThrough();
  const broken: string[] = [];
  const connection = connectCdp(new PassThrough(), output, (reason) => broken.push(reason));
  const session = connection.session('A'.repeat(32));
  const heard: string[] = [];
  session.on('Page.loadEventFired', () => heard.push('page'));
  connection.root.on('Target.targetCreated', () => heard.push('browser'));
  const end = `"sessionId":"${'A'.repeat(32)}"}\0`;
  // Parsing this would break the connection.
  output.write(`{"method":"Network.policyUpdated","params":not JSON,${end}`);
  output.write(`{"method":"Page.loadEventFired","params":{},${end}`);
  output.write('{"method":"Target.targetCreated","params":{}}\0');
  while (heard.length < 2) await nextTurn();
  assert.deepEqual([heard, broken], [['page', 'browser'], []]);
});
