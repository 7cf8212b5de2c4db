// Connections that hold resources: responses that are not read, pipelined requests, upgrades, half-open and silent connections.
// Runs the service's listener with short timeouts, on real sockets.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { systemClock } from '#core/clock.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { shareConnections } from '#http/connection/connections.ts';
import { createGuards } from '#http/guards.ts';
import { createRouter } from '#server/router.ts';
import { createListener } from '#http/connection/listener.ts';
import { openDescriptors, openFilesIn } from '#test/support/process-table.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { quietFor } from '#test/support/quiet-for.ts';
import { waitFor } from '#test/support/wait-for.ts';

const stallMs = 1_500;
const timeouts = {
  headersMs: 2_000,
  requestMs: 4_000,
  keepAliveMs: 1_500,
  stallMs,
  checkEveryMs: 200,
  drainMs: 500,
};
const bigBytes = 40 * 1024 * 1024;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
before(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'big'), Buffer.alloc(bigBytes, 'x'));
});
after(() => folder.remove());

async function listen(tls?: { cert: Buffer; key: Buffer }): Promise<{ app: FastifyInstance; port: number }> {
  const app = createListener({
    log: pino({ level: 'silent' }),
    settings: { trustProxy: false, tls, timeouts, maxConnections: 100 },
    guards: createGuards({
      admission: undefined as never,
      budget: createRequestBudget({ clock: systemClock }),
    }),
    placeAt: createRouter(() => app).at,
    answerUndecodable: (_error, _request, reply) => void reply.code(400).send(),
  });
  app.get('/small', async () => 'small');
  app.get('/slow', async () => {
    await quietFor(3 * stallMs, 'an answer that begins late is not one that is not read');
    return 'slow';
  });
  app.get('/buffer', async () => Buffer.alloc(bigBytes, 'x'));
  app.get('/stream', async (_request, reply) =>
    reply.header('content-length', bigBytes).send(createReadStream(join(folder.path, 'big'))),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: (app.server.address() as AddressInfo).port };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Resolves when the service has no connection left. */
const nobodyLeft = ({ server }: FastifyInstance): Promise<void> =>
  waitFor('every connection to be cut', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    return (await promise) === 0;
  });

const withoutOpenssl =
  spawnSync('openssl', ['version']).status !== 0 && 'there is no openssl to make a certificate with';

function certificate(path: string): { cert: string; key: string } {
  const [cert, key] = [join(path, 'cert.pem'), join(path, 'key.pem')];
  const command =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  spawnSync('openssl', [...command.split(' '), '-keyout', key, '-out', cert]);
  return { cert, key };
}

for (const scheme of ['http', 'https']) {
  describe(`answers over ${scheme}`, { skip: scheme === 'https' && withoutOpenssl }, () => {
    let service: Awaited<ReturnType<typeof listen>>;
    let open: () => Promise<Socket>;
    before(async () => {
      const files = scheme === 'https' ? certificate(folder.path) : undefined;
      service = await listen(files && { cert: await readFile(files.cert), key: await readFile(files.key) });
      open = async () => {
        const port = service.port;
        const socket = files
          ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
          : connect(port, '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, files ? 'secureConnect' : 'connect');
        return socket;
      };
    });
    after(() => service.app.close());

    for (const path of ['/buffer', '/stream']) {
      test(`${path}: a client that does not read is disconnected, and its file is closed`, async () => {
        const before = openDescriptors();
        const sockets = await Promise.all(Array.from({ length: 5 }, open));
        for (const socket of sockets) socket.pause().write(get(path));
        await nobodyLeft(service.app);
        for (const socket of sockets) socket.destroy();
        await waitFor('descriptors to be closed', () => openDescriptors() <= before);
      });

      test(`${path}: a client that reads slowly gets all of it`, async () => {
        const socket = await open();
        let received = 0;
        const startedAt = Date.now();
        socket.on('data', (chunk: Buffer) => {
          received += chunk.length;
          // At a rate that takes four times the limit. A rate, not a pause after each chunk: the system takes on more only when it has
          // passed on 1.5 MB, which on a busy machine would be too many pauses.
          // oxlint-disable-next-line tests/no-durations -- sets the rate, and is not asserted
          const earlyMs = (4 * stallMs * received) / bigBytes - (Date.now() - startedAt);
          if (earlyMs <= 0) return;
          socket.pause();
          setTimeout(() => socket.resume(), earlyMs);
        });
        socket.write(get(path));
        await waitFor('the whole answer', () => received > bigBytes || socket.destroyed);
        socket.destroy();
        assert.ok(received > bigBytes, `cut after ${received} bytes`);
      });
    }

    test('a request that takes longer than the limit to answer is answered', async () => {
      const socket = await open();
      socket.write(get('/slow'));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 200 [^]*slow$/);
      socket.destroy();
    });

    test('connections that are idle after a response, silent, or half-open after a refusal are closed', async () => {
      const sockets = await Promise.all(
        ['', get('/small'), 'nonsense\r\n\r\n'].map(async (text) => {
          const socket = await open();
          socket.resume();
          if (text !== '') socket.write(text);
          return socket;
        }),
      );
      await nobodyLeft(service.app);
      for (const socket of sockets) socket.destroy();
    });
  });
}

describe('pipelined requests', () => {
  let service: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    service = await listen();
  });
  after(() => service.app.close());

  test('are answered in order', async () => {
    const socket = connect(service.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.write(get('/slow') + get('/small').repeat(50) + get('/slow'));
    await waitFor('all answers', () => (text.match(/HTTP\/1\.1 200/g) ?? []).length === 52);
    assert.deepEqual(text.match(/(small|slow)(?=HTTP|$)/g), [
      'slow',
      ...Array.from({ length: 50 }, () => 'small'),
      'slow',
    ]);
    socket.destroy();
  });

  test('do not open a file before their turn', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => {}).pause();
    socket.write(get('/stream').repeat(90));
    await once(service.app.server, 'request');
    // What the first request has begun has happened when others have been answered and the queue of the file system is through.
    for (let count = 0; count < 3; count += 1) {
      await fetch(`http://127.0.0.1:${service.port}/small`).then((answer) => answer.text());
      await stat(folder.path);
    }
    assert.equal(openFilesIn(folder.path).length, 1);
    await nobodyLeft(service.app);
    socket.destroy();
  });

  test('are limited: the connection is cut', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(get('/slow') + get('/small').repeat(1_000));
    await once(socket, 'close');
  });
});

test('an upgrade is answered as a plain request, CONNECT closes the connection', async () => {
  const { app, port } = await listen();
  try {
    const upgrade = connect(port, '127.0.0.1');
    upgrade.write('GET /small HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [answer] = (await once(upgrade, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 200 [^]*small$/);
    upgrade.destroy();
    const tunnel = connect(port, '127.0.0.1');
    tunnel.on('error', () => {}).resume();
    tunnel.write('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(tunnel, 'close');
  } finally {
    await app.close();
  }
});

test('at the connection limit, the address with the most connections loses one', async () => {
  const server = createServer((_request, response) => response.end('here'));
  shareConnections(server, 4);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const from = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {}).resume();
    await once(socket, 'connect');
    return socket;
  };
  const [first, second, third] = [await from('127.0.0.1'), await from('127.0.0.1'), await from('127.0.0.1')];
  const stranger = await from('127.0.0.2');
  const refused = await from('127.0.0.1');
  await waitFor('the fifth to be refused', () => refused.destroyed);
  const friend = await from('127.0.0.3');
  await waitFor('the oldest of the many to make room', () => first.destroyed);
  for (const socket of [second, third, stranger, friend]) {
    socket.write(get('/'));
    await once(socket, 'data');
    socket.destroy();
  }
  server.close();
});
