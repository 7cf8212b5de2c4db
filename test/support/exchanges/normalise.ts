// Rules by which an answer is written down, so that two runs of one request give the same text: what differs each time is checked for
// its form and replaced by its name. Nothing is left out, except what is right by a rule in every answer (`isAsInEveryAnswer`).
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { isId } from '#core/ids.ts';
import { readPdf } from '#test/support/pdf.ts';
import { nameOfContent } from '#test/support/exchanges/contents.ts';
import type { Answer } from '#test/support/exchanges/exchange.ts';
import { mapTexts, type Names } from '#test/support/exchanges/names.ts';

export interface Received {
  method: string;
  path: string;
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Longer bodies than this are written down as a digest. */
const longestText = 16_384;

export async function normalise(received: Received, names: Names): Promise<Answer> {
  // Errors and receipts repeat it.
  const requestId = received.headers['x-request-id'] ?? '';
  if (isId(requestId)) names.give('request id', requestId);
  const body = await bodyOf(received, names);
  return { status: received.status, headers: headersOf(received, names), ...body };
}

async function bodyOf({ path, headers, bytes }: Received, names: Names): Promise<Partial<Answer>> {
  const type = headers['content-type'] ?? '';
  if (bytes.length === 0) return {};
  if ((isRendered(path) || isVariant(path)) && !/json|html|text|markdown/.test(type))
    return { bytes: await describePicture(bytes) };
  if (type === 'application/zip') return { bytes: `<zip of ${namesInZip(bytes).join(', ')}>` };
  if (headers['content-encoding'] !== undefined || !/json|text|svg/.test(type))
    return { bytes: nameOfContent(bytes) ?? bytes.toString('base64') };
  const text = bytes.toString('utf8');
  if (text.length > longestText) {
    const hidden = names.hide(text);
    return { bytes: `<sha256 ${createHash('sha256').update(hidden).digest('hex')}>` };
  }
  const value = parse(text);
  // Other white space or another order of keys is another text.
  if (value !== undefined && JSON.stringify(value) === text) {
    nameValues(value, names);
    const lasting = path.startsWith('/api/v2/') ? withoutStart(value, names) : value;
    return { body: mapTexts(withoutMeasures(lasting), names.hide) };
  }
  return { text: isPage(headers) ? linesOfPage(text).map(names.hide) : names.hide(text) };
}

/** Each begins with a tag: how the markup is spread over its lines makes no difference. */
function linesOfPage(text: string): string[] {
  return text
    .replace(/(\/assets\/[a-z]+)\.[\w-]{10}\./g, '$1.<hash>.')
    .replace(/\s+/g, ' ')
    .replace(/ ?(\/?>) ?/g, '$1')
    .split(/(?=<[!a-z])/)
    .map((line) => line.trim());
}

const isPage = (headers: Received['headers']): boolean =>
  headers['content-type']?.startsWith('text/html') === true;

function headersOf(received: Received, names: Names): Record<string, string> {
  const { path, headers } = received;
  const ticket = /^[^=]+=([^;]+);/.exec(headers['set-cookie'] ?? '')?.[1];
  if (ticket !== undefined) names.give('ticket', ticket);
  if (isId(headers['x-service-id'] ?? '')) names.give('id', headers['x-service-id']!);
  const isBytesOfRender = isVariant(path) || (isRendered(path) && !path.startsWith('/api/'));
  if (isBytesOfRender && /^"[0-9a-f]{32}"$/.test(headers['etag'] ?? '')) names.give('etag', headers['etag']!);
  const entries = Object.entries({ ...inEveryAnswer, ...headers })
    .filter(([name, value]) => !isAsInEveryAnswer(name, value, received))
    .map(([name, value]): [string, string] => {
      if (name === 'x-service-duration-ms') return [name, value.replace(/^\d+$/, '<integer>')];
      if (name === 'server-timing') return [name, value.replace(/dur=\d+\.\d\b/g, 'dur=<ms>')];
      const isMeasured = isBytesOfRender || isPage(headers) || headers['content-type'] === 'application/zip';
      if (isMeasured && name === 'content-length') return [name, value.replace(/^\d+$/, '<integer>')];
      if (isBytesOfRender && name === 'content-range') return [name, value.replace(/\/\d+$/, '/<integer>')];
      return [name, names.hide(value)];
    });
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const inEveryAnswer = Object.fromEntries(
  ['date', 'x-request-id', 'connection', 'keep-alive'].map((name) => [name, '<missing>']),
);

function isAsInEveryAnswer(name: string, value: string, { method, bytes }: Received): boolean {
  if (name === 'date') return Math.abs(Date.parse(value) - Date.now()) < 600_000;
  if (name === 'x-request-id') return isId(value);
  if (name === 'connection') return value === 'keep-alive';
  if (name === 'keep-alive') return value === 'timeout=72';
  return name === 'content-length' && method !== 'HEAD' && value === String(bytes.length);
}

/** The ids, slugs and tokens that an answer tells. */
function nameValues(value: unknown, names: Names): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry !== 'string') nameValues(entry, names);
    else if (name === 'id' && isId(entry)) names.give('id', entry);
    else if (name === 'slug' && /^[0-9A-Za-z]{12}$/.test(entry)) names.give('slug', entry);
    else if (name === 'next_cursor') names.give('cursor', entry);
    else if (name === 'token' && /^\w{43}$/.test(entry)) names.give('token', entry);
    else if (name === 'url' && entry.includes('/r/')) nameLink(entry, names);
    else if (name === 'delete_url') names.give('token', /\?token=([\w-]{43})$/.exec(entry)?.[1] ?? entry);
  }
}

/** What depends on when a sequence began, and so on those that were played before. */
function withoutStart(value: object, names: Names): object {
  const { next_cursor: cursor, resets_at: month } = value as Record<string, unknown>;
  return {
    ...value,
    ...(typeof cursor === 'string' && { next_cursor: names.give('cursor', cursor) }),
    ...(typeof month === 'string' && {
      resets_at: month.replace(/^[\d-]+-01T00:00:00\.000Z$/, '<next month>'),
    }),
  };
}

/** The address of the page is in the payload. */
function nameLink(url: string, names: Names): void {
  const [, key, payload, signature] = /\/r\/(lk_\w{20})\/([\w-]+)\/([\w-]{43})$/.exec(url) ?? [];
  if (key === undefined || payload === undefined || signature === undefined) return;
  names.give('link key', key);
  names.give('payload', payload);
  names.give('signature', signature);
}

const measured = /^(?:duration|queue|load|settle|capture|store)_ms$/;

/** The measures of a render: how long it took, and the size and digest of what the browser made. */
function withoutMeasures(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMeasures);
  if (typeof value !== 'object' || value === null) return value;
  const isMade = 'duration_ms' in value || 'truncated' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const isMeasure = measured.test(name) || (name === 'size_bytes' && isMade);
      if (isMeasure && Number.isInteger(entry)) return [name, '<integer>'];
      if (typeof entry !== 'string') return [name, withoutMeasures(entry)];
      if (name === 'sha256' && isMade) return [name, entry.replace(/^[0-9a-f]{64}$/, '<sha256>')];
      return [name, isMhtml(entry) ? '<mhtml>' : entry];
    }),
  );
}

const isRendered = (path: string): boolean =>
  /^\/(?:[spr]\/|api\/v1\/(?:screenshot|pdf)$|api\/v2\/renders$)/.test(path);
const isVariant = (path: string): boolean => /^\/f\/.*[?&](?:width|format)=/.test(path);
const isMhtml = (text: string): boolean => text.startsWith('From: <Saved by Blink>');

/** A browser does not make the same bytes twice, but the same kind and size of picture. */
async function describePicture(bytes: Buffer): Promise<string> {
  const start = bytes.toString('latin1', 0, 5);
  if (start === '%PDF-') {
    if (bytes.includes('/Encrypt')) return '<encrypted pdf>';
    const pages = readPdf(bytes).map(({ widthPt, heightPt }) => `${widthPt} × ${heightPt} pt`);
    // One that was written anew has its pages in compressed objects.
    const isWhole = bytes.toString('latin1', bytes.length - 7).includes('%%EOF');
    if (pages.length === 0) return isWhole ? '<pdf>' : `<${bytes.length} bytes>`;
    return `<pdf of ${pages.join(', ')}>`;
  }
  if (isMhtml(bytes.toString('latin1', 0, 22))) return '<mhtml>';
  const { format, width, height } = await sharp(bytes)
    .metadata()
    .catch(() => ({ format: undefined, width: 0, height: 0 }));
  return format ? `<${format} of ${width} × ${height}>` : `<${bytes.length} bytes>`;
}

/** Of its directory, in which 46 bytes stand before each name. */
function namesInZip(bytes: Buffer): string[] {
  return bytes
    .toString('latin1')
    .split('PK\x01\x02')
    .slice(1)
    .map((entry) => entry.slice(42, 42 + entry.charCodeAt(24)));
}

function parse(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
