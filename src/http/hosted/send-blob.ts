// Serves stored bytes: conditional requests and ranges by RFC 9110, never cached past their expiry, and with headers that keep
// scripts in them from running in our origin.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { sendStream } from '#http/answer.ts';
import { acceptedEncodings, type Encoding } from '#http/encodings.ts';
import { matchesEtag, matchesStrongly, parseHttpDate } from '#http/conditions.ts';
import { wholeRange, type ByteRange, type OpenBlob, type SignedAnswer } from '#storage/blobs.ts';

interface HostedBlob {
  contentType: string;
  sizeBytes: number;
  etag: string;
  createdAt: number;
  expiresAt: number | null;
  filename: string;
  open: (range: ByteRange) => Promise<OpenBlob | undefined>;
  /** The whole blob, if it is small and the store has it locally. */
  readSmall?: (() => Promise<Buffer | undefined>) | undefined;
  /** Set if the blob is worth compressing; undefined where it is sent as it is stored. */
  packed?: ((encoding: Encoding) => Promise<Buffer | undefined>) | undefined;
  /** Set if the store serves the blob itself. */
  signedUrl: ((answer: SignedAnswer) => Promise<string>) | undefined;
}

const maxAgeSeconds = 300;
/** Formats that cannot contain a document, so they are safe without our headers. */
const plainPictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** A deletion must take effect soon, so even uploads without expiry are requested again after five minutes. */
function cacheControl(expiresAt: number | null, now: number): string {
  const remainingSeconds = expiresAt === null ? Infinity : Math.max(0, Math.floor((expiresAt - now) / 1000));
  return `public, max-age=${Math.min(maxAgeSeconds, remainingSeconds)}, must-revalidate`;
}

export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  blob: HostedBlob,
  now: number,
): Promise<FastifyReply> {
  const lastModified = new Date(blob.createdAt).toUTCString();
  reply.headers({
    'cache-control': cacheControl(blob.expiresAt, now),
    etag: blob.etag,
    ...(blob.packed && { vary: 'accept-encoding' }),
    'last-modified': lastModified,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
  });
  // A part is a part of the stored bytes, so a request for one gets them as they are.
  const encodings = blob.packed && request.headers.range === undefined ? acceptedEncodings(request) : [];
  const etags = [blob.etag, ...encodings.map((encoding) => etagOf(blob, encoding))];
  if (!isAsExpected(request, etags, blob.createdAt))
    return reply.code(412).header('cache-control', 'no-store').header('content-length', 0).send('');
  const known = etags.find((etag) => isUnchanged(request, etag, blob.createdAt));
  if (known !== undefined) return reply.code(304).header('etag', known).send();

  const isDownload = (request.query as { download?: string }).download !== undefined;
  const disposition = contentDisposition(isDownload ? 'attachment' : 'inline', blob.filename);
  if (blob.signedUrl && request.method === 'GET' && plainPictures.includes(blob.contentType)) {
    const location = await blob.signedUrl({
      contentType: blob.contentType,
      contentDisposition: disposition,
      cacheControl: cacheControl(blob.expiresAt, now),
      lifeSeconds: Math.max(1, Math.min(maxAgeSeconds, ((blob.expiresAt ?? Infinity) - now) / 1000)),
    });
    for (const name of ['etag', 'last-modified', 'accept-ranges']) reply.removeHeader(name);
    return reply.header('cache-control', 'no-store').redirect(location, 302);
  }
  reply.header('content-disposition', disposition);
  reply.type(blob.contentType);

  const [encoding] = encodings;
  const packed = encoding && (await blob.packed?.(encoding));
  if (encoding && packed) {
    reply.headers({
      'content-encoding': encoding,
      'content-length': packed.length,
      etag: etagOf(blob, encoding),
    });
    return request.method === 'HEAD' ? reply.send() : reply.send(packed);
  }

  const range = rangeOf(request, blob, lastModified);
  if (range === 'unsatisfiable') {
    return reply
      .code(416)
      .header('content-range', `bytes */${blob.sizeBytes}`)
      .header('cache-control', 'no-store')
      .header('content-length', 0)
      .send('');
  }
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${blob.sizeBytes}`);
  reply.header('content-length', range ? range.end - range.start + 1 : blob.sizeBytes);
  if (request.method === 'HEAD') return reply.send();

  const bytes = range ? undefined : await blob.readSmall?.();
  if (bytes) return reply.send(bytes);
  const opened = await blob.open(range ?? wholeRange(blob.sizeBytes));
  if (opened) return sendStream(request, reply, opened);
  for (const name of Object.keys(reply.getHeaders())) if (name !== 'x-request-id') reply.removeHeader(name);
  throw notFound();
}

/** Strong, so other bytes need another one. */
const etagOf = ({ etag }: HostedBlob, encoding: Encoding): string => `${etag.slice(0, -1)}-${encoding}"`;

/** RFC 9110 13.1.1, 13.1.4: If-Match decides where it is present, If-Unmodified-Since otherwise. */
function isAsExpected({ headers }: FastifyRequest, etags: string[], createdAt: number): boolean {
  const match = headers['if-match'];
  if (match !== undefined) return etags.some((etag) => matchesStrongly(match, etag));
  const since = parseHttpDate(headers['if-unmodified-since']);
  return since === undefined || toSeconds(createdAt) <= since;
}

/** RFC 9110 13.1.2, 13.1.3: If-None-Match decides where it is present, If-Modified-Since otherwise. */
function isUnchanged({ headers }: FastifyRequest, etag: string, createdAt: number): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return matchesEtag(noneMatch, etag);
  const since = parseHttpDate(headers['if-modified-since']);
  return since !== undefined && toSeconds(createdAt) <= since;
}

/** HTTP dates have no fractions of a second. */
const toSeconds = (at: number): number => Math.floor(at / 1000) * 1000;

/** RFC 9110 14.2: a single byte range in a GET is served; anything else is ignored and the whole is sent. */
function rangeOf(
  request: FastifyRequest,
  { etag, sizeBytes }: HostedBlob,
  lastModified: string,
): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': ifRange } = request.headers;
  if (request.method !== 'GET') return undefined;
  if (range === undefined || (ifRange !== undefined && ifRange !== etag && ifRange !== lastModified))
    return undefined;
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(range);
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}

/** RFC 6266: an ASCII name for old clients, the real one in UTF-8. */
function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
