// Serves the built dashboard under /dashboard/: files whose names contain their hash, and one page for every other path, which
// the dashboard routes itself. The page loads nothing from other hosts and runs no inline script.
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { root } from '#core/programs.ts';
import { html, sendPage } from '#site/pages/page.ts';
import { neverChanges, readStaticFolder, sendStaticFile } from '#site/pages/static-files.ts';

const builtFolder = join(root, 'dashboard', 'dist');

/** `pictureOrigins`: other hosts that serve hosted bytes. */
const policyFor = (pictureOrigins: string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data: blob:", ...pictureOrigins].join(' '),
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export function createDashboardApp(pictureOrigins: string[]) {
  const policy = policyFor(pictureOrigins);
  const index = readStaticFolder(builtFolder).get('index.html');
  const assets = readStaticFolder(join(builtFolder, 'assets'));

  return {
    /** Any path of the dashboard that is not a file. */
    async page(request: FastifyRequest, reply: FastifyReply) {
      if (!index) return sendNotBuilt(reply);
      reply.headers({
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'same-origin',
        'x-robots-tag': 'noindex',
      });
      return sendStaticFile(request, reply, index);
    },

    async asset(request: FastifyRequest, reply: FastifyReply) {
      const content = assets.get((request.params as { name: string }).name);
      if (!content) throw notFound();
      // A worker has the policy of its own file, not that of the page: it computes, and requests nothing.
      reply.headers({ ...neverChanges, 'content-security-policy': "default-src 'none'" });
      return sendStaticFile(request, reply, content);
    },
  };
}

export async function toDashboard(request: FastifyRequest, reply: FastifyReply) {
  return reply
    .headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
    .redirect(`/dashboard${request.url}`, 302);
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
