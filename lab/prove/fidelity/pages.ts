// The pages to compare: folders are served on loopback as they are, each on its own port.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';

const types: Record<string, string> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.mp4': 'video/mp4',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xht': 'application/xhtml+xml',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'text/xml',
};
/** Served if no folder is given. */
const ownPages = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'pages');
const usualGlob = '**/*.{html,htm,xht,xhtml}';

export interface ServedPages {
  hosts: string[];
  pages: { name: string; url: string }[];
  close(): Promise<void>;
}

/** Each argument is `FOLDER` or `FOLDER:GLOB`; a glob selects the pages, and the whole folder is served. */
export async function servePages(folders: string[]): Promise<ServedPages> {
  const servers: PageServer[] = [];
  const pages: ServedPages['pages'] = [];
  for (const argument of folders.length > 0 ? folders : [ownPages]) {
    const [folder = '.', glob = usualGlob] = argument.split(':');
    const root = resolve(folder);
    if (!existsSync(root)) throw new Error(`there is no folder "${folder}"`);
    const server = await startPageServer({});
    server.fallBack((path, response) => {
      const file = fileOf(root, path);
      if (file === undefined) response.writeHead(404).end();
      else response.setHeader('content-type', typeOf(file)).end(readFileSync(file));
    });
    servers.push(server);
    const found = globSync(glob, { cwd: root, exclude: (path) => path.includes('node_modules') }).toSorted();
    for (const path of found) {
      const encoded = path.split('/').map(encodeURIComponent).join('/');
      pages.push({ name: `${folder.split('/').at(-1)}/${path}`, url: `${server.base}/${encoded}` });
    }
  }
  return {
    hosts: servers.map(({ host }) => host),
    pages,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** PAGES_PER_FOLDER=5 takes five pages of each folder, evenly spaced in the order of their names. */
export function evenlySpaced(pages: ServedPages['pages']): ServedPages['pages'] {
  const most = Number(process.env['PAGES_PER_FOLDER'] ?? Infinity);
  return Object.values(Object.groupBy(pages, ({ url }) => new URL(url).origin)).flatMap((all = []) => {
    if (all.length <= most) return all;
    return Array.from({ length: most }, (_, nth) => all[Math.floor((nth * all.length) / most)]!);
  });
}

function typeOf(file: string): string {
  return types[extname(file).toLowerCase()] ?? 'application/octet-stream';
}

function fileOf(root: string, path: string): string | undefined {
  const file = resolve(join(root, decodeURIComponent(path)));
  if (!file.startsWith(root) || !existsSync(file)) return undefined;
  if (!statSync(file).isDirectory()) return file;
  const index = join(file, 'index.html');
  return existsSync(index) ? index : undefined;
}
