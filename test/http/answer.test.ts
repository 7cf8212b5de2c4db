// A response that streams a blob owns it: the blob is closed however the response ends, and the connection keeps no listener for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { systemClock } from '#core/clock.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { openBlob, type OpenBlob } from '#storage/blobs.ts';
import { sendStream } from '#http/answer.ts';
import { createGuards } from '#http/guards.ts';
import { createRouter } from '#server/router.ts';
import { createListener } from '#http/connection/listener.ts';
import { waitFor } from '#test/support/wait-for.ts';

let app: FastifyInstance;
let port: number;
let opened: OpenBlob[] = [];
let connections: Socket[] = [];
/** Resolves once a handler has its blob, before it sends it. */
let beforeSending: (socket: Socket, blob: OpenBlob) => Promise<void> = async () => {};

function endless(): Readable {
  const chunk = Buffer.alloc(64 * 1024);
  return new Readable({
    read() {
      this.push(chunk);
    },
  });
}

before(async () => {
  app = createListener({
    log: pino({ level: 'silent' }),
    settings: { trustProxy: false, tls: undefined, maxConnections: 100 },
    guards: createGuards({
      admission: undefined as never,
      budget: createRequestBudget({ clock: systemClock }),
    }),
    placeAt: createRouter(() => app).at,
    answerUndecodable: (_error, _request, reply) => void reply.code(400).send(),
  });
  app.get('/:kind', async (request, reply) => {
    const { kind } = request.params as { kind: string };
    const blob = openBlob(kind === 'endless' ? endless() : Readable.from([Buffer.from('bytes')]));
    opened.push(blob);
    await beforeSending(request.raw.socket, blob);
    return sendStream(request, reply, blob);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { server } = app;
  server.on('connection', (socket: Socket) => connections.push(socket));
  port = (server.address() as AddressInfo).port;
});
after(() => app.close());

function reset(): void {
  [opened, connections, beforeSending] = [[], [], async () => {}];
}

const closeListeners = (): number => connections[0]?.listenerCount('close') ?? 0;

test('a connection that serves many blobs keeps no listener for them', async () => {
  reset();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const counts: number[] = [];
  for (let round = 0; round < 12; round += 1) {
    const [answer] = (await once(get({ port, path: '/small', agent }), 'response')) as [IncomingMessage];
    assert.equal(Buffer.concat(await answer.toArray()).toString(), 'bytes');
    await waitFor('the blob to be closed', () => opened.at(-1)?.stream.closed === true);
    counts.push(closeListeners());
  }
  agent.destroy();
  assert.equal(connections.length, 1);
  assert.deepEqual(new Set(counts).size, 1, `listeners after each: ${counts.join(', ')}`);
});

test('a client that leaves in the middle closes the blob', async () => {
  reset();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await waitFor('the blob to be closed', () => opened[0]?.stream.closed === true);
});

test('a client that left before the blob was opened closes it', async () => {
  reset();
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  beforeSending = async (served) => {
    resolve();
    if (!served.destroyed) await once(served, 'close');
  };
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await reached;
  socket.destroy();
  await waitFor('the blob to be closed', () => opened[0]?.stream.closed === true);
});

test('a blob that was closed before it is sent leaves no listener, and the next request is answered', async () => {
  reset();
  const listeners: number[] = [];
  beforeSending = async (served, blob) => {
    listeners.push(served.listenerCount('close'));
    blob[Symbol.dispose]();
    await waitFor('the blob to be closed', () => blob.stream.closed);
  };
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor('the response to end', () => opened.length === 1 && opened[0]!.stream.closed);
  await waitFor('the listener to be removed', () => closeListeners() <= listeners[0]!);
  socket.destroy();
  beforeSending = async () => {};
  const [answer] = (await once(get({ port, path: '/small' }), 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  answer.resume();
});
