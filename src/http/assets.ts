// Style sheets, scripts and pictures of the server-rendered pages, served under names that hold their hash and so never change.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const folder = join(import.meta.dirname, 'assets');
const served = new Map<string, { type: string; bytes: Buffer }>();
const servedNames = new Map<string, string>();

for (const name of readdirSync(folder)) {
  const extension = extname(name);
  const bytes = readFileSync(join(folder, name));
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 10);
  const servedName = `${name.slice(0, -extension.length)}.${hash}${extension}`;
  served.set(servedName, { type: types[extension] ?? 'application/octet-stream', bytes });
  servedNames.set(name, servedName);
}

/** The address of an asset, for a page to name. */
export function assetUrl(name: string): string {
  const servedName = servedNames.get(name);
  if (servedName === undefined) throw new Error(`there is no asset ${name}`);
  return `/assets/${servedName}`;
}

export async function sendAsset(request: FastifyRequest, reply: FastifyReply) {
  const asset = served.get((request.params as { name: string }).name);
  if (!asset) throw notFound();
  return reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('x-content-type-options', 'nosniff')
    .type(asset.type)
    .send(asset.bytes);
}
