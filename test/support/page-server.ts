// A web server on loopback for the pages that tests render: fixture files, and routes given as text or as a function.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

export type Route = string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface PageServer {
  readonly base: string;
  readonly host: string;
  /** Requests so far, as `METHOD path`. */
  readonly seen: string[];
  route(path: string, route: Route): string;
  /** Handles requests that no route matches, instead of the fixtures. */
  fallBack(serve: (path: string, response: ServerResponse) => void): void;
  onUpgrade(handle: (request: IncomingMessage, socket: Duplex) => void): void;
  close(): Promise<void>;
}

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'pages');
const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
};

/** Responds after the milliseconds in the query; nothing waits for it when the test is over. */
export const slowRoute: Route = (request, response) => {
  setTimeout(() => response.end(), Number(request.url!.split('?')[1])).unref();
};

export async function startPageServer(
  routes: Record<string, Route> = {},
  { address = '127.0.0.1', port = 0 } = {},
): Promise<PageServer> {
  const table = new Map(Object.entries(routes));
  const seen: string[] = [];
  const sockets = new Set<Duplex>();
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    seen.push(`${request.method} ${request.url}`);
    const route = table.get(path);
    if (typeof route === 'function') return route(request, response);
    if (route !== undefined) return response.setHeader('content-type', 'text/html; charset=utf-8').end(route);
    serveOther(path, response);
  });
  let serveOther: (path: string, response: ServerResponse) => void = (path, response) =>
    void serveFixture(path, response);
  server.listen(port, address);
  await once(server, 'listening');
  const host = `${address}:${(server.address() as AddressInfo).port}`;
  return {
    base: `http://${host}`,
    host,
    seen,
    route(path, route) {
      table.set(path, route);
      return `http://${host}${path}`;
    },
    fallBack(serve) {
      serveOther = serve;
    },
    onUpgrade(handle) {
      server.on('upgrade', (request, socket) => {
        seen.push(`UPGRADE ${request.url}`);
        sockets.add(socket);
        handle(request, socket);
      });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function serveFixture(path: string, response: ServerResponse): Promise<void> {
  try {
    const body = await readFile(join(fixtures, path.slice(1).replaceAll('/', '')));
    response
      .setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
      .end(body);
  } catch {
    response.writeHead(404, { 'content-type': types.html }).end('<!doctype html><h1>Not found</h1>');
  }
}
