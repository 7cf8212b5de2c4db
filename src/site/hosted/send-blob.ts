// Serves stored bytes: conditional requests and ranges by RFC 9110, never cached past their expiry, and with headers that keep
// scripts in them from running in our origin.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#core/errors.ts';
import { sendStream } from '#http/answer.ts';
import { acceptedEncodings, type Encoding } from '#http/encodings.ts';
import { matchesEtag, matchesStrongly, parseHttpDate } from '#http/conditions.ts';
import { addressSubject } from '#http/guards.ts';
import { wholeRange, type Blobs, type ByteRange } from '#storage/blobs.ts';
import type { RenderRow, UploadRow } from '#storage/schema.ts';

interface HostedBlob {
  row: Pick<
    UploadRow | RenderRow,
    'id' | 'content_type' | 'size_bytes' | 'sha256' | 'created_at' | 'expires_at'
  >;
  filename: string;
  blobs: Pick<Blobs, 'open' | 'signedUrl'>;
  /** If not five minutes, or until it expires. */
  cacheControl?: string;
  /** Whether browsers only download it. */
  isAttachment?: boolean | undefined;
  /** Whether it is only for the holder of the address: no cache keeps it. */
  isPrivate?: boolean;
  /** For whole blobs, if those that are small are kept in memory. */
  readSmall?: Blobs['readSmall'];
  /** Set if the blob is worth compressing; undefined where it is sent as it is stored. */
  packed?: ((encoding: Encoding) => Promise<Buffer | undefined>) | undefined;
}

const maxAgeSeconds = 300;
/** Formats that cannot contain a document, so they are safe without our headers. */
const plainPictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Nothing runs and nothing is loaded. What the sanitizer keeps in an SVG, pictures and fonts inside the file, is shown. */
export const contentPolicy = (contentType: string): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:; ${contentType === 'image/svg+xml' ? 'font-src data:; ' : ''}sandbox`;

export const notStored = 'private, no-store';

/** A deletion must take effect soon, so even uploads without expiry are requested again after five minutes. */
function cacheControl(isPrivate: boolean, expiresAt: number | null, now: number): string {
  if (isPrivate) return notStored;
  const remainingSeconds = expiresAt === null ? Infinity : Math.max(0, Math.floor((expiresAt - now) / 1000));
  return `public, max-age=${Math.min(maxAgeSeconds, remainingSeconds)}, must-revalidate`;
}

export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    row,
    filename,
    blobs,
    isAttachment,
    isPrivate = false,
    readSmall,
    packed,
    cacheControl: given,
  }: HostedBlob,
  now: number,
): Promise<FastifyReply> {
  const { id, content_type: contentType, created_at: createdAt, expires_at: expiresAt } = row;
  const sizeBytes = row.size_bytes ?? 0;
  const etag = `"${(row.sha256 ?? id).slice(0, 32)}"`;
  const lastModified = new Date(createdAt).toUTCString();
  reply.headers({
    'cache-control': given ?? cacheControl(isPrivate, expiresAt, now),
    etag,
    ...(packed && { vary: 'accept-encoding' }),
    'last-modified': lastModified,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': contentPolicy(contentType),
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
  });
  // A part is a part of the stored bytes, so a request for one gets them as they are.
  const encodings = packed && request.headers.range === undefined ? acceptedEncodings(request) : [];
  const etags = [etag, ...encodings.map((encoding) => etagOf(etag, encoding))];
  if (!isAsExpected(request, etags, createdAt))
    return reply.code(412).header('cache-control', 'no-store').header('content-length', 0).send('');
  const known = etags.find((candidate) => isUnchanged(request, candidate, createdAt));
  if (known !== undefined) return reply.code(304).header('etag', known).send();

  const isDownload = isAttachment === true || (request.query as { download?: string }).download !== undefined;
  const disposition = contentDisposition(isDownload ? 'attachment' : 'inline', filename);
  if (blobs.signedUrl && request.method === 'GET' && plainPictures.includes(contentType)) {
    const location = await blobs.signedUrl(id, {
      contentType,
      contentDisposition: disposition,
      cacheControl: cacheControl(isPrivate, expiresAt, now),
      lifeSeconds: Math.max(1, Math.min(maxAgeSeconds, ((expiresAt ?? Infinity) - now) / 1000)),
    });
    for (const name of ['etag', 'last-modified', 'accept-ranges']) reply.removeHeader(name);
    return reply.header('cache-control', 'no-store').redirect(location, 302);
  }
  reply.header('content-disposition', disposition);
  reply.type(contentType);

  const [encoding] = encodings;
  const compressed = encoding && (await packed?.(encoding));
  if (encoding && compressed) {
    reply.headers({
      'content-encoding': encoding,
      'content-length': compressed.length,
      etag: etagOf(etag, encoding),
    });
    return request.method === 'HEAD' ? reply.send() : reply.send(compressed);
  }

  const range = rangeOf(request, { etag, sizeBytes, lastModified });
  if (range === 'unsatisfiable') {
    return reply
      .code(416)
      .header('content-range', `bytes */${sizeBytes}`)
      .header('cache-control', 'no-store')
      .header('content-length', 0)
      .send('');
  }
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  reply.header('content-length', range ? range.end - range.start + 1 : sizeBytes);
  if (request.method === 'HEAD') return reply.send();

  const bytes = range ? undefined : await readSmall?.(id, sizeBytes);
  if (bytes) return reply.send(bytes);
  const opened = await blobs.open(id, range ?? wholeRange(sizeBytes), addressSubject(request.ip));
  if (opened) return sendStream(request, reply, opened);
  for (const name of Object.keys(reply.getHeaders())) if (name !== 'x-request-id') reply.removeHeader(name);
  throw notFound();
}

/** Strong, so other bytes need another one. */
const etagOf = (etag: string, encoding: Encoding): string => `${etag.slice(0, -1)}-${encoding}"`;

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
  { etag, sizeBytes, lastModified }: { etag: string; sizeBytes: number; lastModified: string },
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
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
