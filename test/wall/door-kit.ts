// For the tests of the proxy: real servers on one port of two loopback addresses, one opened by EGRESS_ALLOW and one closed, and
// clients.
import { once } from 'node:events';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { type Door, openEgressDoor } from '#wall/door.ts';
import type { Lookup } from '#wall/name-lookup.ts';
import { createEgressRules } from '#wall/rules.ts';
import type { DoorLimits } from '#wall/ways-out.ts';

export const open = '127.0.0.2';
export const shut = '127.0.0.3';

export function startProxy(
  context: TestContext,
  {
    allow = open,
    lookup,
    limits = {},
  }: { allow?: string; lookup?: Lookup; limits?: Partial<DoorLimits> } = {},
) {
  const rules = createEgressRules({ allow: parseEgressAllow(allow), ...(lookup && { lookup }) });
  return {
    async openDoor(): Promise<Door> {
      const door = await openEgressDoor(limits);
      context.after(() => door.close());
      door.use(rules);
      return door;
    },
  };
}

export interface Twins {
  port: number;
  /** Connections that each of the two servers has seen. */
  hits: { open: number; shut: number };
  /** Live connections of the open server. */
  sockets: Set<Socket>;
}

/** The same server on the open and on the closed address, on one port. */
export async function startTwins(context: TestContext, createTwin: () => Server): Promise<Twins> {
  const twins: Twins = { port: 0, hits: { open: 0, shut: 0 }, sockets: new Set() };
  for (const [address, name] of [
    [open, 'open'],
    [shut, 'shut'],
  ] as const) {
    const server = createTwin();
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      twins.hits[name] += 1;
      for (const set of name === 'open' ? [sockets, twins.sockets] : [sockets]) {
        set.add(socket);
        socket.on('close', () => set.delete(socket));
      }
      socket.on('error', () => {});
    });
    server.listen(twins.port, address);
    await once(server, 'listening');
    twins.port = (server.address() as AddressInfo).port;
    context.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
  }
  return twins;
}

/** A server that sends these bytes to any client that sends it a line, then closes. */
export const rawServer =
  (bytes: string): (() => Server) =>
  () =>
    createServer((socket) => socket.once('data', () => socket.end(bytes, 'latin1')));

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export async function fetchThrough(
  door: Door,
  url: string,
  options: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  const outgoing = request({ host: door.host, port: door.port, path: url, method, headers, agent: false });
  // The connection may be cut after the response has begun; then the body below rejects.
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('latin1'),
  };
}

/** A raw connection to the door that collects what comes back. */
export async function connectTo(door: Door) {
  const socket = connect(door.port, door.host);
  socket.on('error', () => {});
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    socket.emit('more');
  });
  // `once` would reject on a reset, which counts as a normal end here.
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await once(socket, 'connect');
  return {
    socket,
    write: (text: string) => socket.write(text, 'latin1'),
    /** What has arrived, once it matches. Rejects if the connection ends first. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(received)) {
        if (socket.destroyed) throw new Error(`closed after ${JSON.stringify(received)}`);
        await Promise.race([new Promise((resolve) => socket.once('more', resolve)), closed]);
      }
      const text = received;
      received = '';
      return text;
    },
    async untilClosed(): Promise<string> {
      await closed;
      return received;
    },
  };
}

/** Sends only these bytes and returns everything that comes back. */
export async function talk(door: Door, text: string): Promise<string> {
  const client = await connectTo(door);
  client.write(text);
  return client.untilClosed();
}
