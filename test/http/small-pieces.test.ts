// Bytes in small pieces: chunks, requests and TLS records of a few bytes. Each costs the event loop a call, so what one read of a
// connection may cost is counted here, on the service's listener and real sockets.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { systemClock } from '#core/clock.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { createGuards } from '#http/guards.ts';
import { createRouter } from '#server/router.ts';
import { createListener } from '#http/connection/listener.ts';
import { onBrokenBody } from '#http/connection/broken-body.ts';
import { recordsOf } from '#test/support/tls-records.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

const timeouts = {
  headersMs: 20_000,
  requestMs: 60_000,
  keepAliveMs: 20_000,
  stallMs: 20_000,
  checkEveryMs: 1_000,
  drainMs: 5_000,
};
const chunked = 'Transfer-Encoding: chunked\r\n';
const post = (path: string, headers: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** What the service did, on all connections. */
let seen = { requests: 0, pieces: 0, bytes: 0 };
const opened: Socket[] = [];
let service: { app: FastifyInstance; port: number };

async function listen(tls?: { cert: Buffer; key: Buffer }): Promise<{ app: FastifyInstance; port: number }> {
  const app = createListener({
    log: pino({ level: 'silent' }),
    settings: { trustProxy: false, maxConnections: 8_000, tls, timeouts },
    guards: createGuards({
      admission: undefined as never,
      budget: createRequestBudget({ clock: systemClock }),
    }),
    placeAt: createRouter(() => app).at,
    answerUndecodable: (_error, _request, reply) => void reply.code(400).send(),
  });
  // The server's own hooks are asynchronous too: a handler runs when the read that brought its request is parsed.
  app.addHook('onRequest', async () => {});
  app.get('/', async () => 'here');
  app.get('/wait', () => new Promise<void>(() => {}));
  app.post('/refuse', async (_request, reply) => reply.code(404).send('there is nothing here'));
  app.post('/read', async ({ raw }, reply) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const content: Buffer[] = [];
    raw.on('data', (bytes: Buffer) => {
      seen.pieces += 1;
      seen.bytes += bytes.length;
      content.push(bytes);
    });
    raw.on('end', () => resolve(Buffer.concat(content).toString('latin1')));
    raw.on('error', () => {});
    onBrokenBody(raw, resolve);
    return reply.send(await promise);
  });
  app.post('/late', async ({ raw }, reply) => {
    await waitFor('the end of the client', () => raw.socket.readableEnded);
    const { promise, resolve } = Promise.withResolvers<string>();
    onBrokenBody(raw, resolve);
    return reply.send(await promise);
  });
  app.server.on('request', () => (seen.requests += 1));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: (app.server.address() as AddressInfo).port };
}

before(async () => {
  service = await listen();
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});
after(() => service.app.close());

interface Client {
  socket: Socket;
  text: () => string;
  /** What ended the connection. */
  closed: Promise<'end' | 'reset'>;
}

async function open(port = service.port): Promise<Client> {
  seen = { requests: 0, pieces: 0, bytes: 0 };
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  opened.push(socket);
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  const { promise, resolve } = Promise.withResolvers<'end' | 'reset'>();
  socket.on('end', () => resolve('end'));
  socket.on('error', () => resolve('reset'));
  await once(socket, 'connect');
  return { socket, text: () => text, closed: promise };
}
const answered = ({ text }: Client): Promise<void> =>
  waitFor('the response', () => text().includes('\r\n\r\n'));

describe('a chunked body', () => {
  test('is read with its small chunks joined, wherever the reads are cut', async () => {
    const client = await open();
    const words = Array.from({ length: 900 }, (_, index) => String(index % 37));
    const bytes = post('/read', chunked) + words.map(chunk).join('') + '0\r\n\r\n';
    client.socket.write(bytes);
    await answered(client);
    assert.ok(client.text().endsWith(words.join('')), client.text());
    assert.ok(seen.pieces <= 20, `${seen.pieces} pieces`);

    client.socket.write(post('/read', chunked) + chunk('first'));
    const half = bytes.length >> 1;
    await waitFor('the first chunk', () => seen.bytes === words.join('').length + 5);
    client.socket.write(`${chunk('second')}5;some=extension\r\nth`);
    await waitFor('half a chunk', () => seen.bytes === words.join('').length + 13);
    client.socket.write('ird\r');
    client.socket.write(`\n${chunk('fourth')}0\r\nTrailer: yes\r\n\r\n${bytes.slice(0, half)}`);
    await waitFor('the response', () => client.text().includes('firstsecondthirdfourth'));
    client.socket.write(bytes.slice(half));
    await waitFor('the last response', () => client.text().split(words.join('')).length === 3);
  });

  test('that is broken is answered also if the client has ended its side and the handler takes its time', async () => {
    const client = await open();
    client.socket.end(`${post('/late', chunked)}zz\r\n`);
    assert.equal(await client.closed, 'end');
    assert.match(
      client.text(),
      /^HTTP\/1\.1 200 [^]*it ends too early, or is not framed as its headers say$/,
    );
  });

  test('of more than 1,000 chunks with fewer than 16 bytes on average is refused, and the connection ends', async () => {
    const client = await open();
    client.socket.write(post('/read', chunked) + chunk('x').repeat(20_000));
    assert.equal(await client.closed, 'end');
    assert.match(client.text(), /^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*its chunks are too small$/);
    assert.ok(seen.bytes <= 1_001, `${seen.bytes} chunks were read`);
    assert.ok(seen.pieces <= 20, `${seen.pieces} pieces`);
  });

  test('of many chunks with 16 bytes is read', async () => {
    const client = await open();
    client.socket.write(`${post('/read', chunked)}${chunk('x'.repeat(16)).repeat(20_000)}0\r\n\r\n`);
    await waitFor('all of it', () => client.text().includes('x'.repeat(16 * 20_000)));
    assert.ok(seen.pieces <= 400, `${seen.pieces} pieces`);
  });

  for (const [name, bytes] of Object.entries({
    'a size that is none': 'x\r\n',
    'no size': '\r\n',
    'a size of 2⁶⁴': '10000000000000000\r\n',
    'a space after the size': '1 \r\nx\r\n',
    'a bare line feed': '1\nx\r\n',
    'content longer than its size': '1\r\nxy\r\n',
    'a control character in an extension': '1;a=\u0001\r\nx\r\n',
    'a bare carriage return': '1\r\nx\ry',
  })) {
    test(`with ${name} is refused, also behind chunks that are joined`, async () => {
      for (const before of ['', chunk('x').repeat(5)]) {
        const client = await open();
        client.socket.write(post('/read', chunked) + before + bytes + chunk('x').repeat(20));
        assert.equal(await client.closed, 'end');
        assert.match(client.text(), /^HTTP\/1\.1 200 [^]*not framed as its headers say$/);
      }
    });
  }
});

describe('a chunked body that nobody wants', () => {
  test('is not parsed after the response: the connection ends, without being reset', async () => {
    const client = await open();
    client.socket.write(post('/refuse', chunked));
    await answered(client);
    assert.match(client.text(), /^HTTP\/1\.1 404 [^]*\r\nconnection: close\r\n[^]*there is nothing here$/);
    assert.equal(await client.closed, 'end');
    // Were it parsed, this would be the next request.
    client.socket.write('0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n');
    client.socket.end();
    await once(client.socket, 'close');
    assert.equal(seen.requests, 1);
  });

  test('may be sent to its end by a client that reads the response only then', async () => {
    const client = await open();
    client.socket.pause();
    client.socket.write(post('/refuse', chunked));
    for (let sent = 0; sent < 8; sent += 1)
      await new Promise<void>((resolve) =>
        client.socket.write(chunk('x'.repeat(1_000_000)), () => resolve()),
      );
    client.socket.write('0\r\n\r\n');
    client.socket.resume();
    assert.equal(await client.closed, 'end');
    assert.match(client.text(), /^HTTP\/1\.1 404 [^]*there is nothing here$/);
  });

  test('leaves the connection open if it has arrived', async () => {
    const client = await open();
    client.socket.write(`${post('/refuse', chunked)}${chunk('x')}0\r\n\r\n`);
    await answered(client);
    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitFor('the next response', () => client.text().endsWith('\r\n\r\nhere'));
  });
});

test('a body with a length that nobody wants leaves the connection open', async () => {
  const client = await open();
  const length = 8_000_000;
  client.socket.write(post('/refuse', `Content-Length: ${length}\r\n`));
  await answered(client);
  await new Promise<void>((resolve) => client.socket.write(Buffer.alloc(length), () => resolve()));
  client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor('the next response', () => client.text().endsWith('\r\n\r\nhere'));
});

test("Node's own client gets the response to a stream that is refused", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sending = httpRequest({ port: service.port, host: '127.0.0.1', method: 'POST', path: '/refuse' });
  sending.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  for (let sent = 0; sent < 40; sent += 1) sending.write(Buffer.alloc(100_000));
  sending.end();
  assert.equal(await promise, 404);
});

describe('requests', () => {
  test('of one read are taken one at a time, and the connection of too many is cut', async () => {
    const client = await open();
    client.socket.write(
      `GET /wait HTTP/1.1\r\nHost: x\r\n\r\n${'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000)}`,
    );
    await client.closed;
    assert.ok(seen.requests <= 102, `${seen.requests} requests`);
  });

  test('are found wherever the reads are cut', async () => {
    const client = await open();
    const text = `\r\n\r\n${post('/read', 'Content-Length: 4\r\n')}bodyGET / HTTP/1.1\r\nHost: x\r\n\r\n`;
    for (const byte of text) {
      client.socket.setNoDelay(true).write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitFor('both responses', () => /\r\n\r\nbodyHTTP[^]*\r\n\r\nhere$/.test(client.text()));
  });
});

const withoutOpenssl =
  spawnSync('openssl', ['version']).status !== 0 && 'there is no openssl to make a certificate with';

describe('TLS records', { skip: withoutOpenssl }, () => {
  let secure: Awaited<ReturnType<typeof listen>>;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const command =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
    spawnSync('openssl', [...command.split(' '), '-keyout', key, '-out', cert]);
    secure = await listen({ cert: await readFile(cert), key: await readFile(key) });
  });
  after(async () => {
    await secure.app.close();
    await folder.remove();
  });

  for (const path of ['/read', '/refuse']) {
    test(`of one byte, many at once: the connection is cut (${path})`, async () => {
      const client = await open(secure.port);
      const head = post(path, 'Content-Length: 100000\r\n');
      const records = await recordsOf(
        client.socket,
        head,
        Array.from({ length: 2_000 }, () => 'x'),
      );
      assert.ok(records);
      client.socket.write(records);
      await client.closed;
      assert.ok(seen.pieces <= 300, `${seen.pieces} records were read`);
    });
  }

  test('of a client that sends the size, the content and the end of each chunk separately are read', async () => {
    const client = await open(secure.port);
    const texts = Array.from({ length: 100 }, () => ['1000', '\r\n', 'x'.repeat(4_096), '\r\n']).flat();
    const records = await recordsOf(client.socket, post('/read', chunked), texts);
    assert.ok(records);
    client.socket.write(records);
    await waitFor('all of it', () => seen.bytes === 100 * 4_096);
  });
});
