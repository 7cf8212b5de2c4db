// An https server on loopback that receives what the service sends: webhooks and files. It trusts nobody and is trusted by this
// process only while it runs.
import { EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createAuthority, trust, type Authority } from '#test/support/certificates.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  base: string;
  host: string;
  port: number;
  received: Received[];
  /** The first request from now on, or a waiting one, that fits. */
  next: (isWanted?: (request: Received) => boolean) => Promise<Received>;
  /** How it answers; 204 by default. */
  answer: (respond: (request: Received, response: ServerResponse) => void) => void;
  /** Open connections. */
  connections: () => number;
  close: () => Promise<void>;
}

export const receiverAddress = '127.0.0.2';

export async function startReceiver({
  names = ['hook.test'],
  authority = createAuthority(),
  handle,
}: {
  /** Of the certificate; the address is always one of them. */
  names?: string[];
  authority?: Authority;
  /** Handles requests itself, before their body is read. */
  handle?: (request: IncomingMessage, response: ServerResponse) => void;
} = {}): Promise<Receiver> {
  const distrust = trust(authority);
  const received: Received[] = [];
  const unread: Received[] = [];
  const arrived = new EventEmitter();
  const sockets = new Set<Socket>();
  let respond = (_: Received, response: ServerResponse): void => void response.writeHead(204).end();
  const server = createServer(authority.issue(...names, receiverAddress), (request, response) => {
    if (handle) return handle(request, response);
    void read(request).then((taken) => {
      received.push(taken);
      unread.push(taken);
      respond(taken, response);
      arrived.emit('request');
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, receiverAddress);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: `https://${receiverAddress}:${port}`,
    host: `${receiverAddress}:${port}`,
    port,
    received,
    async next(isWanted = () => true) {
      for (;;) {
        const index = unread.findIndex(isWanted);
        const [taken] = index < 0 ? [] : unread.splice(index, 1);
        if (taken) return taken;
        await once(arrived, 'request', { signal: AbortSignal.timeout(60_000) });
      }
    },
    answer(next) {
      respond = next;
    },
    connections: () => sockets.size,
    async close() {
      distrust();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    // Broke off; what came is kept.
  }
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body: Buffer.concat(chunks) };
}
