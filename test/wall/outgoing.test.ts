// Requests of the service itself: where they may go, and that no receiver can hold one or make it costly.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createOutgoing, OutgoingFailure } from '#wall/outgoing.ts';
import { createWall } from '#wall/wall.ts';
import { createAuthority, trust, type Authority } from '#test/support/certificates.ts';
import { startDnsServer, type DnsServer } from '#test/support/dns-server.ts';
import { receiverAddress, startReceiver, type Receiver } from '#test/support/receiver.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MiB = 1024 * 1024;
const closedAddress = '127.0.0.3';

let dns: DnsServer;
let authority: Authority;
let distrust: () => void;
before(async () => {
  dns = await startDnsServer(
    (name, before) =>
      ({
        'hook.test': [receiverAddress],
        'other.test': [receiverAddress],
        'private.test': [closedAddress],
        'mixed.test': [receiverAddress, closedAddress],
        'rebound.test': [before === 0 ? receiverAddress : closedAddress],
      })[name],
  );
  authority = createAuthority();
  distrust = trust(authority);
});
after(() => {
  distrust();
  dns.close();
});

const outgoingWith = (exchangeMs?: number) =>
  createOutgoing({
    wall: createWall({ allow: parseEgressAllow(receiverAddress), lookup: dns.lookup }),
    ...(exchangeMs !== undefined && { exchangeMs }),
  });

const post = (url: string, exchangeMs?: number): Promise<number> =>
  outgoingWith(exchangeMs).send({
    way: 'webhook',
    url,
    contentType: 'application/json',
    headers: { 'webhook-id': 'msg_1' },
    body: Buffer.from('{"type":"test"}'),
  });

const failing = (kind: OutgoingFailure['kind']) => (error: unknown) => {
  assert.ok(error instanceof OutgoingFailure, String(error));
  assert.equal(error.kind, kind);
  return true;
};

describe('where it goes', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver({ authority, names: ['hook.test', 'rebound.test', 'mixed.test'] });
  });
  after(() => receiver.close());

  test('a request arrives as it was written, and only its status comes back', async () => {
    receiver.answer((_, response) => void response.writeHead(202).end('x'.repeat(1_000)));
    assert.equal(await post(`https://hook.test:${receiver.port}/in?a=b%20c`), 202);
    const { method, path, headers, body } = await receiver.next();
    assert.deepEqual([method, path, body.toString()], ['POST', '/in?a=b%20c', '{"type":"test"}']);
    assert.deepEqual(headers, {
      host: `hook.test:${receiver.port}`,
      'user-agent': 'Tintype',
      'webhook-id': 'msg_1',
      'content-type': 'application/json',
      'content-length': '15',
      connection: 'close',
    });
  });

  test('a redirect is an answer like any other', async () => {
    receiver.answer(
      (_, response) => void response.writeHead(307, { location: `${receiver.base}/elsewhere` }).end(),
    );
    assert.equal(await post(`${receiver.base}/moved`), 307);
    assert.equal((await receiver.next()).path, '/moved');
    assert.equal(receiver.received.filter(({ path }) => path === '/elsewhere').length, 0);
  });

  const refused: [what: string, host: string][] = [
    ['a loopback address', closedAddress],
    ['the same in another spelling', '0x7f.3'],
    ['IPv6 loopback', '[::1]'],
    ['an IPv4 address inside IPv6', `[::ffff:${closedAddress}]`],
    ['the metadata address', '169.254.169.254'],
    ['a local name', 'localhost'],
    ['a name for a private address', 'private.test'],
    ['a name for a public and a private address', 'mixed.test'],
  ];
  for (const [what, host] of refused)
    test(`refused: ${what}`, async () => {
      const canary = await startCanary(receiver.port);
      await assert.rejects(post(`https://${host}:${receiver.port}/`), failing('not_public'));
      assert.equal(canary.hits(), 0);
      await canary.close();
    });

  test('a name is looked up once: what it changes to afterwards is not dialled', async () => {
    const canary = await startCanary(receiver.port);
    receiver.answer((_, response) => void response.writeHead(204).end());
    assert.equal(await post(`https://rebound.test:${receiver.port}/`), 204);
    assert.equal(dns.asked.filter((name) => name === 'rebound.test').length, 2, 'once for each family');
    await assert.rejects(post(`https://rebound.test:${receiver.port}/`), failing('not_public'));
    assert.equal(canary.hits(), 0);
    await canary.close();
  });

  test('a name that does not resolve, and a port where nothing listens', async () => {
    await assert.rejects(post('https://nothing.test/'), failing('unreachable'));
    await assert.rejects(post(`https://hook.test:1/`), failing('unreachable'));
  });

  test('plain http is never sent to', async () => {
    await assert.rejects(post(`http://hook.test:${receiver.port}/`), /takes https alone/);
  });

  test('the certificate must be valid for the name, and signed by an authority that is trusted', async () => {
    const before = receiver.received.length;
    await assert.rejects(post(`https://other.test:${receiver.port}/`), failing('certificate'));
    const stranger = createAuthority('nobody knows it');
    const server = createTlsServer(stranger.issue('hook.test'), (socket) => socket.destroy());
    server.listen(0, receiverAddress);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await assert.rejects(post(`https://hook.test:${port}/`), failing('certificate'));
    server.close();
    assert.equal(receiver.received.length, before);
  });
});

describe('receivers that mean no good', () => {
  const oneByOne = (text: string) => (socket: Socket) => {
    const timer = setInterval(() => socket.write(text), 1);
    socket.on('close', () => clearInterval(timer));
  };
  const flood = (text: string) => (socket: Socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', more);
    more();
  };
  const ok = 'HTTP/1.1 200 OK\r\n';
  const rows: [what: string, behave: (socket: Socket) => void, end: number | OutgoingFailure['kind']][] = [
    ['says nothing', () => {}, 'timeout'],
    ['sends a head without end, byte by byte', oneByOne('x'), 'malformed'],
    [
      'sends a head line by line for ever',
      (socket) => (socket.write(ok), oneByOne('a: b\r\n')(socket)),
      'timeout',
    ],
    [
      'floods a head',
      (socket) => (socket.write(ok), flood(`a: ${'b'.repeat(10_000)}\r\n`)(socket)),
      'malformed',
    ],
    ['sends interim answers without end', flood('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)), 'malformed'],
    ['floods a body', (socket) => (socket.write(`${ok}\r\n`), flood('y'.repeat(100_000))(socket)), 200],
    ['sends a body without end, slowly', (socket) => (socket.write(`${ok}\r\n`), oneByOne('y')(socket)), 200],
    [
      'sends endless chunk extensions',
      (socket) => (
        socket.write(`${ok}transfer-encoding: chunked\r\n\r\n1;`),
        flood('z'.repeat(9_000))(socket)
      ),
      200,
    ],
    ['promises more than it sends', (socket) => void socket.end(`${ok}content-length: 1000\r\n\r\nabc`), 200],
    ['does not speak HTTP', (socket) => void socket.end('220 mail.example ESMTP\r\n'), 'malformed'],
    [
      'answers twice',
      (socket) => void socket.end(`${ok}content-length: 0\r\n\r\n${ok}content-length: 0\r\n\r\n`),
      200,
    ],
    [
      'switches protocols',
      (socket) => void socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'unreachable',
    ],
    ['hangs up', (socket) => void socket.end(), 'unreachable'],
    ['resets', (socket) => void socket.destroy(), 'unreachable'],
  ];
  // The deadline ends what would last for ever; the rest ends long before it. An answer must come within it on a busy machine too.
  const soonMs = { timeout: 400, 200: 5_000 } as Record<string, number>;
  for (const [what, behave, end] of rows)
    test(`a receiver that ${what}: ${end}`, async () => {
      const sockets = new Set<Socket>();
      const server = createTlsServer(authority.issue('hook.test'), (socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
        socket.once('data', () => behave(socket));
      });
      server.listen(0, receiverAddress);
      await once(server, 'listening');
      const url = `https://hook.test:${(server.address() as AddressInfo).port}/`;
      const sent = post(url, soonMs[String(end)] ?? 60_000);
      if (typeof end === 'number') assert.equal(await sent, end);
      else await assert.rejects(sent, failing(end));
      await waitFor('the connection to end', () => sockets.size === 0);
      server.close();
    });

  test('a receiver that accepts and never speaks TLS is left after the deadline', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket
        .on('close', () => sockets.delete(socket))
        .on('error', () => {})
        .resume();
    });
    server.listen(0, receiverAddress);
    await once(server, 'listening');
    const url = `https://hook.test:${(server.address() as AddressInfo).port}/`;
    await assert.rejects(post(url, 300), failing('timeout'));
    await waitFor('the connection to end', () => sockets.size === 0);
    server.close();
  });

  test('a caller that aborts gets its own reason', async () => {
    const server = createTlsServer(authority.issue('hook.test'), () => {});
    server.listen(0, receiverAddress);
    await once(server, 'listening');
    const abort = new AbortController();
    server.once('secureConnection', (socket: Socket) => {
      socket.on('error', () => {});
      abort.abort(new Error('no longer wanted'));
    });
    const url = `https://hook.test:${(server.address() as AddressInfo).port}/`;
    const request = { way: 'webhook', url, contentType: 'text/plain', body: Buffer.alloc(1) } as const;
    await assert.rejects(outgoingWith().send({ ...request, signal: abort.signal }), /no longer wanted/);
    await assert.rejects(outgoingWith().send({ ...request, signal: abort.signal }), /no longer wanted/);
    server.close();
  });
});

describe('files', () => {
  test('a large body streams, with its length', async () => {
    const digest = createHash('sha256');
    const receiver = await startReceiver({
      authority,
      handle(request, response) {
        request.on('data', (chunk: Buffer) => digest.update(chunk));
        request.on(
          'end',
          () => void response.writeHead(request.headers['content-length'] === '33554432' ? 200 : 400).end(),
        );
      },
    });
    const piece = randomBytes(MiB);
    const expected = createHash('sha256');
    const pieces = function* () {
      for (let sent = 0; sent < 32; sent += 1) {
        expected.update(piece);
        yield piece;
      }
    };
    const status = await outgoingWith().send({
      way: 'put',
      url: `${receiver.base}/file`,
      contentType: 'image/png',
      body: { stream: Readable.from(pieces()), sizeBytes: 32 * MiB },
    });
    assert.equal(status, 200);
    assert.equal(digest.digest('hex'), expected.digest('hex'));
    await receiver.close();
  });

  test('an answer before the end of the body counts, and the rest is not sent', async () => {
    const receiver = await startReceiver({
      authority,
      handle: (_, response) => void response.writeHead(403).end('no'),
    });
    const stream = Readable.from(endless());
    const status = await outgoingWith().send({
      way: 'put',
      url: `${receiver.base}/file`,
      contentType: 'image/png',
      body: { stream, sizeBytes: 1024 * MiB },
    });
    assert.equal(status, 403);
    assert.equal(stream.destroyed, true);
    await waitFor('the connection to end', () => receiver.connections() === 0);
    await receiver.close();
  });

  test('a receiver that reads nothing is left after the deadline, and the file is closed', async () => {
    const receiver = await startReceiver({ authority, handle: (request) => void request.pause() });
    const stream = Readable.from(endless());
    const sent = outgoingWith(300).send({
      way: 'put',
      url: `${receiver.base}/file`,
      contentType: 'image/png',
      // The deadline grows with the size, so this one says that it is small.
      body: { stream, sizeBytes: 1024 },
    });
    await assert.rejects(sent);
    assert.equal(stream.destroyed, true);
    await waitFor('the connection to end', () => receiver.connections() === 0);
    await receiver.close();
  });

  test('the file for an address that is refused is closed too', async () => {
    const stream = Readable.from(endless());
    const body = { stream, sizeBytes: MiB };
    const url = `https://${closedAddress}/`;
    await assert.rejects(
      outgoingWith().send({ way: 'put', url, contentType: 'image/png', body }),
      failing('not_public'),
    );
    assert.equal(stream.destroyed, true);
  });

  test('a download gives the bytes while they come, and ends at the limit', async () => {
    const receiver = await startReceiver({
      authority,
      handle(request, response) {
        response.setHeader('content-type', 'image/png');
        if (request.url === '/small') response.end('picture');
        else if (request.url === '/said')
          response.writeHead(200, { 'content-length': '2000000' }).flushHeaders();
        else
          Readable.from(endless())
            .on('error', () => {})
            .pipe(response);
      },
    });
    const download = (path: string) =>
      outgoingWith().download(
        { url: receiver.base + path, maxBytes: MiB },
        async ({ status, contentType, body }) => {
          const chunks: Buffer[] = [];
          for await (const chunk of body) chunks.push(chunk);
          return [status, contentType, Buffer.concat(chunks).toString()];
        },
      );
    assert.deepEqual(await download('/small'), [200, 'image/png', 'picture']);
    await assert.rejects(download('/said'), failing('too_large'));
    await assert.rejects(download('/endless'), failing('too_large'));
    await waitFor('the connections to end', () => receiver.connections() === 0);
    await receiver.close();
  });

  test('a download in pieces of a few bytes is given up, and one in small chunks is not', async () => {
    const sent = {
      '/tiny': '1\r\ny\r\n'.repeat(100_000),
      '/small': `40\r\n${'y'.repeat(64)}\r\n`.repeat(8_000),
    };
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .once('data', (head) => {
          const path = String(head).split(' ')[1] as keyof typeof sent;
          socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${sent[path]}0\r\n\r\n`);
        }),
    );
    await once(server.listen(0, receiverAddress), 'listening');
    const { port } = server.address() as AddressInfo;
    const download = (path: keyof typeof sent) =>
      outgoingWith().download(
        { url: `http://${receiverAddress}:${port}${path}`, maxBytes: MiB },
        async ({ body }) => {
          let bytes = 0;
          for await (const chunk of body) bytes += chunk.length;
          return bytes;
        },
      );
    assert.equal(await download('/small'), 512_000);
    await assert.rejects(download('/tiny'), failing('malformed'));
    server.close();
  });
});

function* endless(): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'y');
  for (;;) yield piece;
}

/** Counts connections at the closed address. */
async function startCanary(port: number) {
  let hits = 0;
  const server = createServer((socket) => {
    hits += 1;
    socket.destroy();
  });
  server.listen(port, closedAddress);
  await once(server, 'listening');
  return {
    hits: () => hits,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
