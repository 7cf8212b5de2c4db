// What passes through a door arrives unchanged, in every kind of traffic.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http';
import { createServer as createSecureServer, get as secureGet } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { quietFor } from '#test/support/quiet-for.ts';
import { connectTo, fetchThrough, open, rawServer, startProxy, startTwins, talk } from './door-kit.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tls', name));

const http = (listener: RequestListener) => () => createServer({ maxHeaderSize: 2 ** 20 }, listener);

const echo: RequestListener = (incoming, response) => {
  const hash = createHash('sha256');
  let length = 0;
  incoming.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    length += chunk.length;
  });
  incoming.on('end', () => {
    const { method, url, rawHeaders } = incoming;
    response.end(JSON.stringify({ method, url, rawHeaders, length, sha256: hash.digest('hex') }));
  });
};

test('plain requests: method, path byte for byte, body; Host is the target, hop-by-hop headers end here', async (context) => {
  const { port } = await startTwins(context, http(echo));
  const door = await startProxy(context).openDoor();
  const body = randomBytes(3_000_000);
  const answer = await fetchThrough(door, `http://${open}:${port}/a/../b%2f?q='x|y"`, {
    method: 'POST',
    body,
    headers: {
      Host: 'elsewhere.test',
      'X-Kept': ['1', '2'],
      Connection: 'X-Listed, keep-alive',
      'X-Listed': 'a',
      'Proxy-Connection': 'keep-alive',
      'Proxy-Authorization': 'Basic x',
      TE: 'trailers',
    },
  });
  const seen = JSON.parse(answer.body);
  assert.equal(seen.method, 'POST');
  assert.equal(seen.url, `/a/../b%2f?q='x|y"`);
  assert.equal(seen.sha256, createHash('sha256').update(body).digest('hex'));
  assert.deepEqual(seen.rawHeaders, [
    'Host',
    `${open}:${port}`,
    'X-Kept',
    '1',
    'X-Kept',
    '2',
    'Content-Length',
    '3000000',
    'Connection',
    'keep-alive',
  ]);
});

test('plain requests: a chunked body of any method stays framed', async (context) => {
  const { port } = await startTwins(context, http(echo));
  const door = await startProxy(context).openDoor();
  for (const method of ['POST', 'PUT', 'GET', 'DELETE']) {
    const answer = await fetchThrough(door, `http://${open}:${port}/`, {
      method,
      headers: { 'Transfer-Encoding': 'chunked', Connection: 'transfer-encoding' },
      body: 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    });
    const seen = JSON.parse(answer.body);
    assert.deepEqual([seen.method, seen.url, seen.length], [method, '/', 35]);
  }
});

test('answers: status, reason, repeated headers, lengths and emptiness arrive as sent; our header does not', async (context) => {
  const answers: Record<string, string> = {
    '/plain':
      'HTTP/1.1 203 Fine by Me\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-Tintype-Egress: denied\r\nContent-Length: 2\r\n\r\nok',
    '/chunked':
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n',
    '/close': 'HTTP/1.0 200 OK\r\n\r\nok',
    '/both': 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    '/identity': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok',
    '/head': 'HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n',
    '/204': 'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n',
    '/304': 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 99\r\n\r\n',
    '/hints': 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    '/bare-line-feeds': 'HTTP/1.1 200 OK\nX-A: b\nContent-Length: 2\n\nok',
    '/control': 'HTTP/1.1 200 OK\r\nX-Bad: a\u0001b\r\nX-Good: \u00e9\r\nContent-Length: 2\r\n\r\nok',
    '/403': 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno',
  };
  const { port } = await startTwins(context, () =>
    createTcpServer((socket) =>
      socket.once('data', (head) => socket.end(answers[head.toString().split(' ')[1]!]!, 'latin1')),
    ),
  );
  const door = await startProxy(context).openDoor();
  const get = (path: string, method = 'GET') =>
    fetchThrough(door, `http://${open}:${port}${path}`, { method });

  const plain = await get('/plain');
  assert.match(
    await talk(door, `GET http://${open}:${port}/plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    /^HTTP\/1\.1 203 Fine by Me\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 2\r\n/,
  );
  assert.deepEqual([plain.status, plain.body, plain.headers['set-cookie']], [203, 'ok', ['a=1', 'b=2']]);
  for (const path of Object.keys(answers)) {
    const { headers, status } = await get(path, path === '/head' ? 'HEAD' : 'GET');
    assert.equal(headers['x-tintype-egress'], undefined, path);
    assert.notEqual(status, 502, path);
  }
  for (const path of ['/chunked', '/close', '/both', '/identity', '/hints', '/bare-line-feeds', '/control'])
    assert.deepEqual([(await get(path)).status, (await get(path)).body], [200, 'ok'], path);
  const head = await get('/head', 'HEAD');
  assert.deepEqual([head.status, head.headers['content-length'], head.body], [200, '1234', '']);
  assert.deepEqual([(await get('/204')).status, (await get('/204')).body], [204, '']);
  const notModified = await get('/304');
  assert.deepEqual([notModified.status, notModified.headers.etag, notModified.body], [304, '"x"', '']);
  const control = await get('/control');
  assert.deepEqual([control.headers['x-bad'], control.headers['x-good']], [undefined, 'é']);
});

test('answers stream: a chunk arrives before the next is sent, and a broken response stays broken', async (context) => {
  let response: Parameters<RequestListener>[1] | undefined;
  const { port } = await startTwins(
    context,
    http((_incoming, outgoing) => {
      response = outgoing;
      outgoing.write('first');
    }),
  );
  const door = await startProxy(context).openDoor();
  const client = await connectTo(door);
  client.write(`GET http://${open}:${port}/ HTTP/1.1\r\nHost: a\r\n\r\n`);
  await client.until(/first/);
  response!.write('second');
  await client.until(/second/);
  response!.destroy();
  assert.doesNotMatch(await client.untilClosed(), /0\r\n\r\n$/, 'no end is feigned');
});

test('a slow reader slows the server: nothing piles up in the door', async (context) => {
  let written = 0;
  const { port } = await startTwins(
    context,
    http((_incoming, response) => {
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        while (written < 100_000_000 && response.write(chunk)) written += chunk.length;
        if (written >= 100_000_000) response.end();
      };
      response.on('drain', more);
      more();
    }),
  );
  const door = await startProxy(context).openDoor();
  const client = await connectTo(door);
  client.write(`GET http://${open}:${port}/ HTTP/1.1\r\nHost: a\r\n\r\n`);
  await client.until(/200 OK/);
  client.socket.pause();
  let before = -1;
  // Stalled once two checks in a row give the same value: then the kernel buffers on both sides are full.
  while (before !== written) {
    before = written;
    await quietFor(100, 'the kernel does not say that its buffers are full');
  }
  assert.ok(written < 40_000_000, `${written} bytes were taken in`);
  client.socket.destroy();
});

test('keep-alive: one connection from the browser is one connection to the server, and doors share none', async (context) => {
  const twins = await startTwins(
    context,
    http((_incoming, response) => response.end('ok')),
  );
  const proxy = startProxy(context);
  for (const expected of [1, 2]) {
    const door = await proxy.openDoor();
    const client = await connectTo(door);
    for (let round = 0; round < 3; round += 1) {
      client.write(`GET http://${open}:${twins.port}/ HTTP/1.1\r\nHost: a\r\n\r\n`);
      await client.until(/ok$/);
    }
    assert.equal(twins.hits.open, expected);
    client.socket.destroy();
  }
});

test('keep-alive: a reused connection that the server has dropped ends the browser’s too, so that it retries itself', async (context) => {
  let count = 0;
  const twins = await startTwins(
    context,
    http((incoming, response) => {
      count += 1;
      if (count === 2) incoming.socket.resetAndDestroy();
      else response.end('ok');
    }),
  );
  const door = await startProxy(context).openDoor();
  const client = await connectTo(door);
  const line = `GET http://${open}:${twins.port}/ HTTP/1.1\r\nHost: a\r\n\r\n`;
  client.write(line);
  await client.until(/ok$/);
  client.write(line);
  assert.equal(await client.untilClosed(), '');
  assert.equal(door.refusalOf(`http://${open}:${twins.port}/`), undefined);
  assert.equal((await fetchThrough(door, `http://${open}:${twins.port}/`)).body, 'ok');
});

test('a browser that hangs up ends the request at the server', async (context) => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const { port } = await startTwins(
    context,
    http((incoming) => arrived.resolve(incoming)),
  );
  const door = await startProxy(context).openDoor();
  const client = await connectTo(door);
  client.write(`GET http://${open}:${port}/ HTTP/1.1\r\nHost: a\r\n\r\n`);
  const incoming = await arrived.promise;
  const gone = once(incoming.socket, 'close');
  client.socket.destroy();
  await gone;
  const refusal = door.refusalOf(`http://${open}:${port}/`);
  assert.equal(refusal, undefined, 'the browser’s own doing is no failure of the server');
});

test('Expect: 100-continue is answered here and the body follows', async (context) => {
  const { port } = await startTwins(context, http(echo));
  const door = await startProxy(context).openDoor();
  const client = await connectTo(door);
  client.write(
    `POST http://${open}:${port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
  );
  await client.until(/100 Continue/);
  client.write('ok');
  assert.match(await client.until(/sha256/), /"length":2/);
});

test('headers: 500 KB of a request and 30 KB of an answer pass; past the limit a request is 431 and an answer is 502', async (context) => {
  const { port } = await startTwins(
    context,
    http((incoming, response) => {
      const { 'x-size': size = '0', 'x-big': sent = '' } = incoming.headers;
      response.writeHead(200, { 'x-big': 'b'.repeat(Number(size)) }).end(`${sent.length} arrived`);
    }),
  );
  const door = await startProxy(context).openDoor();
  const get = (headers: string) =>
    talk(door, `GET http://${open}:${port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n\r\n`);
  assert.match(await get(`X-Big: ${'a'.repeat(500_000)}`), /^HTTP\/1\.1 200 [^]*500000 arrived/);
  assert.match(await get(`X-Big: ${'a'.repeat(600_000)}`), /^HTTP\/1\.1 431 /);
  assert.match(await get('X-Size: 30000'), /^HTTP\/1\.1 200 [^]*x-big: b{30000}\r\n/);
  assert.match(await get('X-Size: 40000'), /^HTTP\/1\.1 502 [^]*x-tintype-egress: unreachable/);
});

test('20 interim responses are accepted; one more is 502', async (context) => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const door = await startProxy(context).openDoor();
  for (const [count, status] of [
    [20, 200],
    [21, 502],
  ] as const) {
    const { port } = await startTwins(context, rawServer(interim.repeat(count) + whole));
    assert.equal((await fetchThrough(door, `http://${open}:${port}/`)).status, status);
  }
});

test('CONNECT: TLS passes end to end, with the server’s own certificate', async (context) => {
  const tls = { key: fixture('loopback.key'), cert: fixture('loopback.crt') };
  const { port } = await startTwins(context, () =>
    createSecureServer(tls, (incoming, response) => response.end(`secure ${incoming.url}`)),
  );
  const door = await startProxy(context).openDoor();
  const connecting = request({
    host: door.host,
    port: door.port,
    method: 'CONNECT',
    path: `${open}:${port}`,
  }).end();
  const [answer, socket] = (await once(connecting, 'connect')) as [IncomingMessage, Socket];
  assert.equal(answer.statusCode, 200);
  const outgoing = secureGet({
    socket,
    servername: 'loopback.test',
    ca: tls.cert,
    path: '/deep',
    agent: false,
  } as object);
  const [incoming] = await once(outgoing, 'response');
  let body = '';
  for await (const chunk of incoming) body += chunk;
  assert.equal(body, 'secure /deep');
});

test('CONNECT: a server that speaks first, bytes sent along with the request, and half-closing', async (context) => {
  const { port } = await startTwins(context, () =>
    createTcpServer({ allowHalfOpen: true }, (socket) => {
      socket.write('welcome;');
      let got = '';
      socket.on('data', (chunk) => (got += chunk.toString()));
      socket.on('end', () => socket.end(`got ${got}`));
    }),
  );
  const door = await startProxy(context).openDoor();
  const client = await connectTo(door);
  client.write(`CONNECT ${open}:${port} HTTP/1.1\r\nHost: a\r\n\r\nearly `);
  await client.until(/200 OK\r\n\r\nwelcome;/);
  client.socket.end('late');
  assert.equal(await client.untilClosed(), 'got early late');
});
