// Files that are read once and served from memory, compressed for whoever accepts it.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface StaticFile {
  type: string;
  bytes: Buffer;
  /** Made when first asked for. */
  compressed: Map<Encoding, Promise<Buffer>>;
}

type Encoding = 'br' | 'gzip';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const compress: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** A name that holds a hash of the bytes never stands for others. */
export const neverChanges = { 'cache-control': 'public, max-age=31536000, immutable' };

export function readStaticFile(path: string): StaticFile {
  const type = types[extname(path)] ?? 'application/octet-stream';
  return { type, bytes: readFileSync(path), compressed: new Map() };
}

/** The files of a folder, by name. */
export function readStaticFolder(folder: string): Map<string, StaticFile> {
  return new Map(readdirSync(folder).map((name) => [name, readStaticFile(join(folder, name))]));
}

export async function sendStaticFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, compressed }: StaticFile,
): Promise<FastifyReply> {
  reply.headers({ 'x-content-type-options': 'nosniff', vary: 'accept-encoding' }).type(type);
  const encoding = encodingOf(request);
  if (!encoding) return reply.send(bytes);
  const packed = compressed.get(encoding) ?? compress[encoding](bytes);
  compressed.set(encoding, packed);
  return reply.header('content-encoding', encoding).send(await packed);
}

function encodingOf(request: FastifyRequest): Encoding | undefined {
  const accepted = (request.headers['accept-encoding'] ?? '')
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
}
