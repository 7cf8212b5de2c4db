// Messages from the debugging pipe, split at every position: texts are kept as they are, pictures are decoded as they arrive.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connectCdp } from '#browser/process/cdp.ts';
import { readMessages } from '#browser/process/cdp-messages.ts';

const pictureText = (id: number, bytes: Buffer) =>
  `{"id":${id},"result":{"data":"${bytes.toString('base64')}"},"sessionId":"ABC"}`;

/** What is received when these texts arrive in pieces of the given size. */
async function read(texts: string[], pieceBytes: number, wanted: (callId: number) => number | undefined) {
  const heard: unknown[] = [];
  const output = new PassThrough();
  readMessages(output, {
    onMessage: (text) => heard.push(text),
    wantedBytes: wanted,
    onBytes: (callId, bytes) => heard.push([callId, bytes?.toString('hex')]),
    onTooLarge: () => heard.push('too large'),
  });
  const all = Buffer.from(texts.map((text) => `${text}\0`).join(''));
  for (let at = 0; at < all.length; at += pieceBytes) output.write(all.subarray(at, at + pieceBytes));
  output.end();
  for await (const _ of output);
  return heard;
}

test('texts and pictures of every length arrive complete, however the pipe splits them', async () => {
  const pictures = [0, 1, 2, 3, 4, 100, 1001].map((length) => randomBytes(length));
  const texts = pictures.flatMap((bytes, id) => [
    `{"method":"x","params":{"n":${id}}}`,
    pictureText(id, bytes),
  ]);
  for (const pieceBytes of [1, 2, 3, 5, 7, 64, 65, 1000, 100_000]) {
    const expected = texts.map((text, index) => {
      const id = (index - 1) / 2;
      return index % 2 === 1 ? [id, pictures[id]!.toString('hex')] : text;
    });
    const heard = await read(texts, pieceBytes, () => 1001);
    // The shortest are read as texts: they are too short for the head of a picture.
    const seen = heard.map((item) => (typeof item === 'string' ? asBytes(item) : item));
    assert.deepEqual(seen, expected, `${pieceBytes}`);
  }
});

function asBytes(text: string): unknown {
  const { id, result } = JSON.parse(text) as { id?: number; result?: { data: string } };
  return result ? [id, Buffer.from(result.data, 'base64').toString('hex')] : text;
}

test('a picture that is too large, or that nobody waits for, is skipped, and the next message is read', async () => {
  const texts = [
    pictureText(1, randomBytes(5000)),
    pictureText(2, randomBytes(5000)),
    '{"id":3,"result":{}}',
  ];
  const heard = await read(texts, 512, (callId) => (callId === 1 ? 4999 : 0));
  assert.deepEqual(heard, [[1, undefined], [2, undefined], '{"id":3,"result":{}}']);
});

test('a picture that is requested as text is delivered as text', async () => {
  const text = pictureText(1, randomBytes(5000));
  assert.deepEqual(await read([text], 512, () => undefined), [text]);
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
