// Style sheets, scripts and pictures of the server-rendered pages, served under names that hold their hash and so never change.
import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { neverChanges, readStaticFolder, sendStaticFile, type StaticFile } from '#http/static-files.ts';

const served = new Map<string, StaticFile>();
const servedNames = new Map<string, string>();

for (const [name, file] of readStaticFolder(join(import.meta.dirname, 'assets'))) {
  const extension = extname(name);
  const hash = createHash('sha256').update(file.bytes).digest('base64url').slice(0, 10);
  const servedName = `${name.slice(0, -extension.length)}.${hash}${extension}`;
  served.set(servedName, file);
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
  return sendStaticFile(request, reply.headers(neverChanges), asset);
}
