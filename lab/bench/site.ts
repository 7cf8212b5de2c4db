// The fixed pages of the benchmarks, served from memory on loopback by a separate process: the cost of serving them is the same
// for every contender.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

export const pages = ['trivial', 'article', 'scripts', 'long', 'late'] as const;
export type PageName = (typeof pages)[number];

export interface Site {
  host: string;
  urlOf(page: PageName): string;
  close(): void;
}

export async function startSite(): Promise<Site> {
  const child = fork(import.meta.filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message')) as [number];
  const host = `127.0.0.1:${port}`;
  return { host, urlOf: (page) => `http://${host}/${page}.html`, close: () => child.kill() };
}

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.ttf': 'font/ttf',
};

function serve(): void {
  const folder = join(import.meta.dirname, 'pages');
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  // The webfont is one that comes with the service.
  const font = import.meta.resolve('@expo-google-fonts/tinos/400Regular/Tinos_400Regular.ttf');
  files.set('article.ttf', readFileSync(new URL(font)));
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1).split('?')[0] ?? '';
    const body = files.get(name);
    if (body === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': types[extname(name)] }).end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

if (process.argv[1] === import.meta.filename) serve();
