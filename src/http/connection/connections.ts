// Limits what one connection may hold and for how long: one request at a time, a response that is being read, and a share of the
// sockets. Without these limits a client that sends requests and never reads keeps a socket and an open file for ever.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addressSubject } from '#http/guards.ts';

/** Requests that may wait on one connection while an earlier one is answered. Browsers and most clients do not pipeline. */
const maxPipelined = 100;

export function boundConnections(
  app: FastifyInstance,
  { stallMs, maxConnections }: { stallMs: number; maxConnections: number },
) {
  const newest = new WeakMap<Socket, FastifyReply>();
  const waiting = new WeakMap<Socket, number>();
  /** The latest request with a response. */
  const answered = new WeakMap<Socket, IncomingMessage>();
  const openReply = (socket: Socket): FastifyReply | undefined => newest.get(socket);

  // Pipelined requests wait for the response before them: otherwise each would open its file at once, a thousand with one packet.
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const earlier = newest.get(socket);
    newest.set(socket, reply);
    if (!earlier || earlier.raw.closed) {
      done();
      return;
    }
    const ahead = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, ahead);
    if (ahead > maxPipelined) socket.destroy();
    earlier.raw.once('close', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      if (socket.destroyed) reply.hijack();
      else done();
    });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { socket } = request.raw;
    if (newest.get(socket) === reply) newest.delete(socket);
    answered.set(socket, request.raw);
  });
  cutStalled(app.server, stallMs, openReply);
  shareConnections(app.server, maxConnections);
  return { openReply, isAnswered: (socket: Socket): boolean => answered.get(socket)?.complete === false };
}

/**
 * Node's socket timer restarts with every byte read and with every part of a write that reaches the system, so a slow reader is
 * not cut off; the same timer ends connections that are idle between two requests. With TLS it does not see the progress of a
 * long write, so the underlying connection is checked.
 */
function cutStalled(server: Server, stallMs: number, openReply: (socket: Socket) => unknown): void {
  const sentBytes = new WeakMap<Socket, number>();
  const underneath = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    underneath.set(name, socket);
    socket.once('close', () => {
      if (underneath.get(name) === socket) underneath.delete(name);
    });
  });
  server.timeout = stallMs;
  server.on('timeout', (socket: Socket) => {
    const sent = handedOver(underneath.get(nameOf(socket)));
    const isProgressing = sentBytes.get(socket) !== sent;
    sentBytes.set(socket, sent);
    // A render may take longer than the limit before there is anything to read.
    const isWorking = openReply(socket) !== undefined && (socket.writableLength === 0 || isProgressing);
    if (isWorking) socket.setTimeout(stallMs);
    else socket.destroy();
  });
}

/** Bytes that the system has accepted for sending. Node exposes the bytes still queued only on the handle. */
function handedOver(socket: Socket | undefined): number {
  const { _handle: handle } = (socket ?? {}) as { _handle?: { writeQueueSize?: number } | null };
  return (socket?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}

/** When a new connection exceeds the limit, the client address with the most connections loses one. */
export function shareConnections(server: Server, max: number): void {
  const byAddress = new Map<string, Set<Socket>>();
  // The addresses with each number of connections: searching all of them for the most would take longer, the more there are.
  const bySize: Set<Set<Socket>>[] = [];
  let maxSize = 0;
  let open = 0;

  function move(sockets: Set<Socket>, change: () => void): void {
    bySize[sockets.size]?.delete(sockets);
    change();
    (bySize[sockets.size] ??= new Set()).add(sockets);
    if (sockets.size > maxSize || bySize[maxSize]?.size === 0) maxSize = sockets.size;
  }

  server.on('connection', (socket: Socket) => {
    const address = addressSubject(socket.remoteAddress ?? '');
    const mine = byAddress.get(address) ?? new Set();
    byAddress.set(address, mine);
    move(mine, () => mine.add(socket));
    open += 1;
    socket.once('close', () => {
      open -= 1;
      move(mine, () => mine.delete(socket));
      if (mine.size > 0) return;
      bySize[0]?.delete(mine);
      if (byAddress.get(address) === mine) byAddress.delete(address);
    });
    if (open <= max) return;
    const [largest = mine] = mine.size === maxSize ? [mine] : (bySize[maxSize] ?? []);
    if (largest === mine) socket.destroy();
    else largest.values().next().value?.destroy();
  });
}
