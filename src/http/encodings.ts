// Content codings that a response can have, and what headers of the Accept family list. RFC 9110 8.4, 12.5.3.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';

export type Encoding = 'br' | 'gzip';

/** Those that the client accepts, the smaller result first. */
export function acceptedEncodings(request: FastifyRequest): Encoding[] {
  const accepted = acceptedNames(request.headers['accept-encoding']);
  return (['br', 'gzip'] as const).filter((encoding) => accepted.includes(encoding));
}

/** What a header of the Accept family lists, without what it refuses with `q=0`. */
export const acceptedNames = (header = ''): (string | undefined)[] =>
  header
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);

/** On the thread pool. Brotli at quality 9 is for what is compressed once per start, at 4 for what clients bring. */
export const compress = (
  encoding: Encoding,
  bytes: Buffer,
  { quality }: { quality: number },
): Promise<Buffer> =>
  encoding === 'br'
    ? promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
    : promisify(gzip)(bytes);
