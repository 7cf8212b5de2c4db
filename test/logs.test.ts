// What the log must never contain, and what it always contains. Keys, delete tokens and cookies are sent in every part of a request
// to a real process at its most verbose log level.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { readable } from '#roof/log.ts';
import { newApiKey } from '#core/ids.ts';
import * as images from '#test/support/images.ts';
import { command } from '#test/support/commands.ts';
import { serveUntilReady, temporaryFolder } from '#test/support/processes.ts';
import { rawBytes, rawRequest } from '#test/support/raw-request.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';
import { uploadOne } from '#test/support/uploading.ts';

test('keys, delete tokens and cookies never reach the log; every response has one line with its request id', async () => {
  const { path, remove } = await temporaryFolder();
  const environment = { DATA_DIR: path, LOG_LEVEL: 'trace' };
  await command(['account', 'create', '--email', 'a@example.com'], environment);
  const made = await command(['key', 'create', '--account', 'a@example.com', '--json'], environment);
  const { key } = JSON.parse(made.stdout) as { key: string };
  const serving = await serveUntilReady(environment);
  const { origin } = serving;
  const cookie = 'session=verysecretcookievalue0123456789';
  const wrongKey = newApiKey();
  const ids: string[] = [];
  let tokens: string[] = [];
  try {
    const kept = await uploadOne(origin, key);
    const dropped = await uploadOne(origin, key);
    tokens = [kept, dropped].map(({ delete_url: url }) => new URL(url).searchParams.get('token') ?? '');
    const [token] = tokens as [string, string];
    const all = {
      ...bearer(key),
      cookie,
      'x-api-key': key,
      referer: kept.delete_url,
      'user-agent': `curl ${token}`,
    };
    const deletePath = `/api/uploads/${kept.id}/delete`;
    const requests: [string, string, Record<string, string>][] = [
      ['POST', '/api/v1/upload', all],
      ['POST', '/api/v1/upload', bearer(wrongKey)],
      ['POST', '/api/v1/upload', { authorization: `Basic ${key}` }],
      ['POST', `/api/v1/upload?key=${key}&token=${token}`, { cookie }],
      ['GET', `/api/v1/upload/${key}`, all],
      ['GET', `/api/%zz${token}?token=${token}`, all],
      ['GET', `${deletePath}?token=${token}x`, all],
      ['GET', `${deletePath}/${token}`, all],
      ['GET', `${deletePath}%3Ftoken=${token}`, all],
      ['GET', `${deletePath}?token=${token}`, { ...all, accept: 'text/html' }],
      ['HEAD', `${deletePath}?token=${token}`, all],
      ['PUT', `${deletePath}?token=${token}`, all],
      ['FROBNICATE', `${deletePath}?token=${token}`, all],
      ['GET', `http://tintype.test${deletePath}?token=${token}`, { ...all, accept: 'text/html' }],
      ['GET', `/f/${kept.slug}?token=${token}`, all],
      ['GET', `/i/${kept.slug}?key=${key}`, all],
      ['GET', `/oembed?url=${encodeURIComponent(kept.delete_url)}`, all],
      ['GET', `/${key}`, { ...all, accept: 'text/html' }],
      ['POST', dropped.deleteAt.slice(origin.length), all],
      ['GET', '/readyz', all],
    ];
    for (const [method, target, headers] of requests) {
      const answer = await rawRequest(origin, method, target, headers);
      ids.push(answer.headers['x-request-id'] ?? '');
    }
    ids.push(
      (await rawBytes(origin, `GET /${key} ${token}\r\ncookie: ${cookie}\r\n\r\n`)).headers['x-request-id'] ??
        '',
    );
    const named = await post(`${origin}/api/v1/upload`, {
      body: formOf([[await images.png(), `${key}.png`]], { expires_in: token }),
      headers: all,
    });
    ids.push(named.headers.get('x-request-id') ?? '');
  } finally {
    await serving.end();
    await remove();
  }
  const log = serving.stdout() + serving.stderr();
  assert.ok(tokens.length === 2 && tokens.every((token) => token.length === 43));
  for (const secret of [key, wrongKey, ...tokens, 'verysecretcookievalue', key.slice(3, 30)]) {
    assert.ok(
      !log.includes(secret),
      `the log has ${secret.slice(0, 8)}…: ${log.split('\n').find((line) => line.includes(secret))}`,
    );
  }
  const lines = serving
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.ok(
    lines.every((line) => !('reqId' in line)),
    'a request has one id, under one name',
  );
  for (const id of ids) {
    assert.match(id, /^\w{20}$/);
    const mine = lines.filter((line) => line['requestId'] === id);
    assert.equal(mine.length, 1, `${mine.length} lines for answer ${ids.indexOf(id)}`);
    assert.equal(typeof mine[0]?.['status'], 'number');
  }
});

test('a request that is answered before its body has one response and one line, also if the body never ends', async () => {
  const service = await startService();
  try {
    const { hostname, port } = new URL(service.origin);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (bytes) => (text += bytes.toString()));
    socket.write('POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf');
    await once(socket, 'data');
    socket.end();
    await once(socket, 'close');
    assert.match(text, /^HTTP\/1\.1 401 /);
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
    const lines = service.logLines().filter(({ status }) => status !== undefined);
    assert.deepEqual(
      lines.map(({ msg, status }) => [msg, status]),
      [['request', 401]],
    );
  } finally {
    await service.stop();
  }
});

test('on a terminal lines are readable, and a link logged in place of an e-mail gets its own line', () => {
  const link = 'http://localhost:3000/verify-email?token=abc';
  const line = JSON.stringify({
    level: 30,
    time: 0,
    pid: 1,
    hostname: 'h',
    to: 'ann@example.com',
    link,
    msg: 'mail',
  });
  const text = readable(`${line}\n`);
  assert.match(text, /^\d\d:\d\d:\d\d {2}info {3}mail {2}to=ann@example\.com\n/);
  assert.ok(text.split('\n').includes(`    ${link}`));
  assert.equal(readable('not JSON\n'), 'not JSON\n');
});
