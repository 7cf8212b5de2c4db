// Serves the built dashboard under /dashboard/: files whose names hold their hash, and one page for every other address,
// which the dashboard routes itself. Nothing on it may come from elsewhere, and nothing inline may run.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { html, sendPage } from '#http/hosted/page.ts';

const builtFolder = join(import.meta.dirname, '..', '..', '..', 'dashboard', 'dist');

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `pictureOrigins`: where hosted bytes are, besides here. */
const policyFor = (pictureOrigins: string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data: blob:", ...pictureOrigins].join(' '),
    "font-src 'self'",
    "connect-src 'self'",
    // A PDF from the playground is shown in a frame, by a viewer that counts as a plugin in some browsers.
    'frame-src blob:',
    'object-src blob:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Addresses that mails and the first start name, and that people type: shorter than where they lead. */
export const entryPaths = [
  '/sign-in',
  '/sign-up',
  '/welcome',
  '/verify-email',
  '/forgot-password',
  '/reset-password',
];

interface Content {
  type: string;
  plain: Buffer;
  compressed: Map<Encoding, Promise<Buffer>>;
}

type Encoding = 'br' | 'gzip';
const compress: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

export function createDashboardApp(pictureOrigins: string[], folder = builtFolder) {
  const policy = policyFor(pictureOrigins);
  const built = readBuilt(folder);

  return {
    /** Any address of the dashboard that is not a file. */
    async page(request: FastifyRequest, reply: FastifyReply) {
      if (!built) return sendNotBuilt(reply);
      reply.headers({
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'same-origin',
        'x-robots-tag': 'noindex',
      });
      return send(request, reply, built.page);
    },

    async asset(request: FastifyRequest, reply: FastifyReply) {
      const content = built?.assets.get((request.params as { name: string }).name);
      if (!content) throw notFound();
      return send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), content);
    },
  };
}

export async function toDashboard(request: FastifyRequest, reply: FastifyReply) {
  return reply
    .headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
    .redirect(`/dashboard${request.url}`, 302);
}

async function send(request: FastifyRequest, reply: FastifyReply, content: Content): Promise<FastifyReply> {
  reply.headers({ 'x-content-type-options': 'nosniff', vary: 'accept-encoding' }).type(content.type);
  const encoding = encodingOf(request);
  if (!encoding) return reply.send(content.plain);
  const bytes = content.compressed.get(encoding) ?? compress[encoding](content.plain);
  content.compressed.set(encoding, bytes);
  return reply.header('content-encoding', encoding).send(await bytes);
}

function encodingOf(request: FastifyRequest): Encoding | undefined {
  const accepted = (request.headers['accept-encoding'] ?? '')
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
}

function readBuilt(folder: string): { page: Content; assets: Map<string, Content> } | undefined {
  const read = (path: string, type: string): Content => ({
    type,
    plain: readFileSync(path),
    compressed: new Map(),
  });
  try {
    const names = readdirSync(join(folder, 'assets'));
    return {
      page: read(join(folder, 'index.html'), 'text/html; charset=utf-8'),
      assets: new Map(
        names.map((name) => [
          name,
          read(join(folder, 'assets', name), types[extname(name)] ?? 'application/octet-stream'),
        ]),
      ),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(503).header('cache-control', 'no-store'), {
    title: 'Not built',
    body: html`<main class="card">
      <h1>The dashboard is not built</h1>
      <p>Run <code>npm run setup</code> and start the service again. The API works meanwhile.</p>
    </main>`,
  });
}
