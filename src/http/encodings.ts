// Content codings that a response can have. RFC 9110 8.4, 12.5.3.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';

export type Encoding = 'br' | 'gzip';

/** Those that the client accepts, the smaller result first. */
export function acceptedEncodings(request: FastifyRequest): Encoding[] {
  const accepted = (request.headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).filter((encoding) => accepted.includes(encoding));
}

/** On the thread pool. Brotli at quality 9 is for what is compressed once per start, at 4 for what clients bring. */
export const compress = (
  encoding: Encoding,
  bytes: Buffer,
  { quality }: { quality: number },
): Promise<Buffer> =>
  encoding === 'br'
    ? promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
    : promisify(gzip)(bytes);
