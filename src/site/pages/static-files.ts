// Files and pages built once and served from memory, compressed for clients that accept it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncodings, compress, type Encoding } from '#http/encodings.ts';
import { matchesEtag } from '#http/conditions.ts';

export interface StaticFile {
  type: string;
  bytes: Buffer;
  hash: string;
  /** Filled on first request. */
  compressed: Map<Encoding, Promise<Buffer>>;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.py': 'text/x-python; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.webp': 'image/webp',
  '.whl': 'application/zip',
  '.woff2': 'font/woff2',
};

/** Already compressed, or named by digests that are of these bytes. */
const packedTypes = ['application/gzip', 'application/zip', 'font/woff2', 'image/png', 'image/webp'];

/** For names that contain a hash of the bytes: the content of such a name never changes. */
export const neverChanges = { 'cache-control': 'public, max-age=31536000, immutable' };

export function createStaticFile(type: string, bytes: Buffer): StaticFile {
  let hash: string | undefined;
  return {
    type,
    bytes,
    // The service has megabytes of such files when it starts, and most of them are not asked for.
    get hash() {
      return (hash ??= createHash('sha256').update(bytes).digest('base64url').slice(0, 22));
    },
    compressed: new Map(),
  };
}

export const typeOf = (name: string): string => types[extname(name)] ?? 'application/octet-stream';

/** The files of a folder, by name; none if there is no such folder. */
export function readStaticFolder(folder: string): Map<string, StaticFile> {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return new Map(
    names
      .filter((name) => !name.startsWith('.'))
      .map((name) => {
        return [name, createStaticFile(typeOf(name), readFileSync(join(folder, name)))];
      }),
  );
}

export async function sendStaticFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, hash, compressed }: StaticFile,
): Promise<FastifyReply> {
  const encoding = packedTypes.includes(type) ? undefined : acceptedEncodings(request)[0];
  // A strong ETag: different bytes need a different one.
  const etag = encoding ? `"${hash}-${encoding}"` : `"${hash}"`;
  reply.headers({ 'x-content-type-options': 'nosniff', vary: 'accept-encoding', etag });
  const noneMatch = request.headers['if-none-match'];
  if (noneMatch !== undefined && matchesEtag(noneMatch, etag)) return reply.code(304).send();
  reply.type(type);
  if (!encoding) return reply.send(bytes);
  const packed = compressed.get(encoding) ?? compress(encoding, bytes, { quality: 9 });
  compressed.set(encoding, packed);
  return reply.header('content-encoding', encoding).send(await packed);
}
