// Decodes the bytes of an XML document, using its byte order mark, its first bytes or its declaration (XML 1.0 appendix F), and finds
// the name of its first element.
import { invalid } from '#core/errors.ts';

export interface XmlEncoding {
  unitBytes: 1 | 2;
  bigEndian: boolean;
  bomBytes: 0 | 2 | 3;
}

export function sniffEncoding(head: Buffer): XmlEncoding {
  const [first, second, third] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf)
    return { unitBytes: 1, bigEndian: false, bomBytes: 3 };
  if (first === 0xff && second === 0xfe) return { unitBytes: 2, bigEndian: false, bomBytes: 2 };
  if (first === 0xfe && second === 0xff) return { unitBytes: 2, bigEndian: true, bomBytes: 2 };
  if (first === 0x3c && second === 0) return { unitBytes: 2, bigEndian: false, bomBytes: 0 };
  if (first === 0 && second === 0x3c) return { unitBytes: 2, bigEndian: true, bomBytes: 0 };
  return { unitBytes: 1, bigEndian: false, bomBytes: 0 };
}

/** Uses the labels of the WHATWG Encoding Standard, so that the text is what a browser would read. */
export function decodeXml(bytes: Buffer): string {
  const { unitBytes, bigEndian, bomBytes } = sniffEncoding(bytes);
  let label = bigEndian ? 'utf-16be' : 'utf-16le';
  if (unitBytes === 1) label = bomBytes > 0 ? 'utf-8' : (declaredEncoding(bytes) ?? 'utf-8');
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(label, { fatal: true });
    // A declaration in single bytes that says UTF-16 is wrong; browsers read such a document as UTF-8.
    if (unitBytes === 1 && decoder.encoding.startsWith('utf-16'))
      decoder = new TextDecoder('utf-8', { fatal: true });
  } catch {
    throw invalid('file', `line 1: the SVG declares an unknown encoding ("${label.slice(0, 40)}")`);
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalid(
      'file',
      `the SVG contains bytes that are not valid ${decoder.encoding.toUpperCase()}, its encoding`,
    );
  }
}

/** The encoding named by an XML declaration at the very start, which is always ASCII. */
function declaredEncoding(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 256);
  if (!start.startsWith('<?xml')) return undefined;
  const declaration = start.slice(0, start.indexOf('?>') + 1);
  return /\sencoding\s*=\s*["']([A-Za-z][\w.:-]*)["']/.exec(declaration)?.[1];
}

/**
 * The name, prefix included, of the first element after declaration, comments, processing instructions and doctype; undefined if there
 * is none. It accepts what a parser does not (whitespace before the declaration, a lower-case doctype), to distinguish a broken SVG from
 * a file that is not an SVG.
 */
export function firstElementName(text: string): string | undefined {
  let at = 0;
  for (;;) {
    at = skipBlanks(text, at);
    if (text[at] !== '<') return undefined;
    if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else if (text[at + 1] === '?') at = after(text, '?>', at + 2);
    else if (text[at + 1] === '!') at = afterDoctype(text, at + 2);
    else return /^[^\s<>/=&"']+/.exec(text.slice(at + 1, at + 256))?.[0];
    if (at < 0) return undefined;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n\ufeff'.includes(text.charAt(at))) at += 1;
  return at;
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? -1 : found + mark.length;
}

/** The index after the `>` that closes the doctype; quotes, comments and an internal subset in brackets may contain others. */
function afterDoctype(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at >= 0 && at < text.length;) {
    const character = text.charAt(at);
    if (character === '>' && depth <= 0) return at + 1;
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (character === '"' || character === "'") at = after(text, character, at + 1);
    else if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else at += 1;
  }
  return -1;
}
