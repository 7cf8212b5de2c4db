// Parses a multipart/form-data body as it streams in: RFC 7578, and RFC 2046 5.1 for its delimiters. Anything unreadable is
// refused and never skipped: a part that is silently lost is a file that is lost.
import { valueOf } from '#http/body/header-value.ts';

/** The head of a part, its bytes piece by piece, and its end. Pieces are views into the input. */
type FormEvent = { part: PartHead } | { piece: Buffer } | 'end of part';

export interface PartHead {
  name: string | undefined;
  /** As submitted; undefined for a part that is not a file. */
  filename: string | undefined;
  /** As submitted, without its parameters; empty if there is none. */
  contentType: string;
}

/** The message is for the client. */
export class FormError extends Error {}

const maxHeadBytes = 16 * 1024;
/**
 * RFC 2046 5.1.1 allows 70. Node searches in linear time up to 250: above that, bytes that resemble a long boundary cost its
 * length each, which is a third of a second for 64 KiB.
 */
const maxBoundaryCharacters = 200;
/** White space after a delimiter, which RFC 2046 allows; anything longer is content. */
const maxPaddingBytes = 64;
const nothing = Buffer.alloc(0);
const endOfHead = Buffer.from('\r\n\r\n');
const lineBreak = Buffer.from('\r\n');

interface FormParser {
  read(chunk: Buffer): Generator<FormEvent, void>;
  /** Throws when the form is incomplete. */
  end(): void;
}

export function createFormParser(contentType: string): FormParser {
  const boundary = parametersOf(contentType.replace(/^[^;]*/, ''), lenientParameter)?.get('boundary');
  if (boundary === undefined || boundary === '') throw new FormError('the boundary is missing');
  if (boundary.length > maxBoundaryCharacters)
    throw new FormError(`the boundary is longer than ${maxBoundaryCharacters} characters`);
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  let state: 'before' | 'head' | 'content' | 'after' = 'before';
  /** Bytes read and not yet parsed. The first delimiter needs no line break before it. */
  let rest: Buffer = lineBreak;
  let headBuffer: Buffer | undefined;
  /** Leading bytes of `rest` that belong to the delimiter if one begins there, and are otherwise dropped. */
  let lead = lineBreak.length;

  /**
   * True when the head of a part continues after this chunk. It is then collected in one buffer: a head that arrives byte by byte
   * would otherwise be copied for each byte.
   */
  function continuesHead(chunk: Buffer): boolean {
    const length = rest.length + chunk.length;
    if (state !== 'head' || rest.length < endOfHead.length || length > maxHeadBytes) return false;
    if (Buffer.concat([rest.subarray(1 - endOfHead.length), chunk]).includes(endOfHead)) return false;
    if (rest.buffer !== headBuffer?.buffer) {
      headBuffer = Buffer.allocUnsafeSlow(maxHeadBytes);
      rest.copy(headBuffer);
    }
    chunk.copy(headBuffer, rest.length);
    rest = headBuffer.subarray(0, length);
    return true;
  }

  function* read(chunk: Buffer): Generator<FormEvent, void> {
    if (continuesHead(chunk)) return;
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    rest = nothing;
    let at = 0;
    while (state !== 'after') {
      if (state === 'head') {
        const head = findHead(data, at);
        if (!head) {
          rest = data.subarray(at);
          return;
        }
        yield { part: partHead(head.text) };
        state = 'content';
        // The empty line that ends a head may also be the line break of the delimiter: a part without content.
        at = head.end - lineBreak.length;
        lead = lineBreak.length;
        continue;
      }
      const found = findDelimiter(delimiter, data, at);
      const piece = data.subarray(Math.min(at + lead, found.start), found.start);
      if (state === 'content' && piece.length > 0) yield { piece };
      lead = Math.max(0, lead - (found.start - at));
      if (found.kind === 'none') {
        rest = data.subarray(found.start);
        return;
      }
      if (state === 'content') yield 'end of part';
      state = found.kind === 'last' ? 'after' : 'head';
      at = found.end;
      lead = 0;
    }
  }

  return {
    read,
    end() {
      if (state !== 'after') throw new FormError('it ends before its closing boundary');
    },
  };
}

const [tab, lineFeed, carriageReturn, space, dash] = [9, 10, 13, 32, 45];

/** The next delimiter; if there is none, `start` is where one may have begun. */
function findDelimiter(delimiter: Buffer, data: Buffer, from: number) {
  for (let start = data.indexOf(delimiter, from); start !== -1; start = data.indexOf(delimiter, start + 1)) {
    const behind = start + delimiter.length;
    if (data[behind] === dash && data[behind + 1] === dash)
      return { kind: 'last', start, end: behind + 2 } as const;
    let end = behind;
    while ((data[end] === space || data[end] === tab) && end - behind < maxPaddingBytes) end += 1;
    if (data[end] === carriageReturn && data[end + 1] === lineFeed)
      return { kind: 'next', start, end: end + 2 } as const;
    const mayGoOn =
      end === data.length ||
      (end === data.length - 1 && (data[end] === carriageReturn || data[end] === dash));
    if (mayGoOn) return { kind: 'none', start, end: start } as const;
    // Not followed by what ends a delimiter: a line of the content that begins the same way.
  }
  const start = partialDelimiterAt(delimiter, data, from);
  return { kind: 'none', start, end: start } as const;
}

/** Where the end of the data could be the beginning of a delimiter; the data's length if nowhere. */
function partialDelimiterAt(delimiter: Buffer, data: Buffer, from: number): number {
  const first = Math.max(from, data.length - delimiter.length + 1);
  for (let at = data.indexOf(carriageReturn, first); at !== -1; at = data.indexOf(carriageReturn, at + 1)) {
    if (data.compare(delimiter, 0, data.length - at, at) === 0) return at;
  }
  return data.length;
}

/** The text of a head and where the content begins; undefined until the head is complete. */
function findHead(data: Buffer, at: number): { text: string; end: number } | undefined {
  // A part may have no header lines at all.
  if (data.subarray(at, at + 2).equals(lineBreak)) return { text: '', end: at + 2 };
  const end = data.indexOf(endOfHead, at);
  if ((end === -1 ? data.length : end) - at > maxHeadBytes)
    throw new FormError('the headers of a part are too long');
  return end === -1 ? undefined : { text: data.toString('utf8', at, end), end: end + endOfHead.length };
}

// oxlint-disable-next-line no-control-regex
const headerLine = /^([!#$%&'*+.^_`|~\w-]+):([^\x00-\x08\x0a-\x1f\x7f]*)$/;

function partHead(text: string): PartHead {
  const headers = new Map<string, string>();
  // A line that begins with white space continues the previous one. RFC 5322 2.2.3.
  for (const line of text === '' ? [] : text.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new FormError('a header of a part cannot be read');
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value.trimStart());
  }
  const disposition = headers.get('content-disposition') ?? '';
  const parameters =
    valueOf(disposition) === 'form-data'
      ? parametersOf(disposition.replace(/^[^;]*/, ''), parameter)
      : undefined;
  if (!parameters) throw new FormError('a part has no Content-Disposition: form-data that can be read');
  // Without a filename, a part declared as a picture or as binary is still a file.
  const type = valueOf(headers.get('content-type'));
  const isBytes = type === 'application/octet-stream' || /^image\/[\w.+-]+$/.test(type);
  const filename = parameters.get('filename');
  return {
    contentType: type,
    name: parameters.get('name'),
    filename:
      parameters.get('filename*') ??
      (filename === undefined ? (isBytes ? '' : undefined) : unescapeFilename(filename)),
  };
}

const escapes: Record<string, string> = { '%22': '"', '%0d': '\r', '%0a': '\n' };

/** Browsers and most clients escape these three and nothing else, not even the percent sign: WHATWG HTML, multipart/form-data. */
const unescapeFilename = (filename: string): string =>
  filename.replace(/%(?:22|0d|0a)/gi, (escape) => escapes[escape.toLowerCase()] ?? escape);

const parameter = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]+))\s*/y;
/** Also values like `----=_Part_1`, which strictly need quotes: widely copied Java code sends such boundaries without. */
const lenientParameter = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))\s*/y;

/** `; name="value"; …`, the first of each name; undefined if the text does not have this form. */
function parametersOf(text: string, pattern: RegExp): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  pattern.lastIndex = 0;
  let end = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    end = pattern.lastIndex;
    const [, name = '', quoted, plain = ''] = match;
    // Unescapes only quotes and backslashes: some browsers do not escape the backslashes of paths.
    const value = quoted?.replace(/\\(["\\])/g, '$1') ?? plain;
    const key = name.toLowerCase();
    const decoded = key.endsWith('*') ? decodeExtended(value) : value;
    if (decoded === undefined) return undefined;
    if (!parameters.has(key)) parameters.set(key, decoded);
  }
  return /^[;\s]*$/.test(text.slice(end)) ? parameters : undefined;
}

/** RFC 8187: `UTF-8'en'na%C3%AFve.png`. */
function decodeExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = /^([^']*)'[^']*'(.*)$/.exec(value) ?? [];
  try {
    if (/^utf-8$/i.test(charset)) return decodeURIComponent(encoded);
    if (/^iso-8859-1$/i.test(charset))
      return encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  } catch {
    // The text is not valid in its declared charset.
  }
  return undefined;
}
