// Texts and files that are parsed outside the request itself, each as hard to parse as possible.
import { parseEgressAllow } from '#browser/egress/allow-list.ts';
import { egressLimits } from '#browser/egress/ledger.ts';
import { parseAbsoluteForm, responseHeaders } from '#browser/egress/proxy-message.ts';
import { createEgressRules } from '#browser/egress/rules.ts';
import { checkTarget } from '#renders/target-url.ts';
import { readDimensions } from '#uploads/dimensions.ts';
import { readSvgDimensions } from '#uploads/dimensions-svg.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';
import { createFormParser } from '#http/body/form-parser.ts';

export interface TextCase {
  name: string;
  largest: number;
  /** What is counted, if it is a list of things instead of one input. */
  unit?: string;
  /** In a worker, where it does not block the event loop. */
  isInWorker?: boolean;
  /** May throw: a refusal takes its time too. */
  parse(size: number): unknown;
}

const filled = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length));
const rules = createEgressRules({ allow: [] });

const filename = (name: string, fill: string): TextCase => ({
  name: `filename: ${name}`,
  largest: 16_000,
  parse: (size) => sanitizeFilename(`a${filled(fill, size)}b`, 'image/png'),
});

const target = (name: string, make: (size: number) => string): TextCase => ({
  name: `target: ${name}`,
  largest: 8_000,
  parse: (size) => checkTarget(make(size), rules),
});

const svg = (name: string, make: (size: number) => string): TextCase => ({
  name: `SVG: ${name}`,
  largest: 2_000_000,
  isInWorker: true,
  parse: (size) => sanitizeSvg(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${make(size)}</svg>`)),
});

const form = (name: string, piece: string): TextCase => ({
  name: `form content: ${name}`,
  largest: 4_000_000,
  parse(size) {
    const parser = createFormParser(`multipart/form-data; boundary=${'a'.repeat(200)}`);
    const head = `--${'a'.repeat(200)}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
    const body = Buffer.from(head + filled(piece, size));
    let pieces = 0;
    for (let at = 0; at < body.length; at += 65_536) {
      for (const event of parser.read(body.subarray(at, at + 65_536)))
        pieces += event === 'end of part' ? 0 : 1;
    }
    return pieces;
  },
});

/** As sent by a client that makes a chunk of every byte. */
const headByteByByte: TextCase = {
  name: "form: a part's head, byte by byte",
  largest: 16_000,
  parse(size) {
    const parser = createFormParser('multipart/form-data; boundary=XX');
    const body = Buffer.from(`--XX\r\nContent-Disposition: form-data; name="${filled('a', size)}`);
    let events = 0;
    for (let at = 0; at < body.length; at += 1) events += [...parser.read(body.subarray(at, at + 1))].length;
    return events;
  },
};

/** As sent by a client that makes a chunk of every byte of what could be the boundary. */
const contentByteByByte: TextCase = {
  name: 'form content: almost the boundary, byte by byte',
  // What one read of a socket holds if each byte is a chunk.
  largest: 11_000,
  parse(size) {
    const parser = createFormParser(`multipart/form-data; boundary=${'a'.repeat(200)}`);
    const head = `--${'a'.repeat(200)}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
    const body = Buffer.from(head + filled(`\r\n--${'a'.repeat(199)}b`, size));
    let events = 0;
    for (let at = 0; at < body.length; at += 1) events += [...parser.read(body.subarray(at, at + 1))].length;
    return events;
  },
};

/** What the egress proxy accepts at most. */
const proxied = (name: string, make: (size: number) => string[]): TextCase => ({
  name: `proxy headers: ${name}`,
  largest: egressLimits.headerBytes,
  parse: (size) => responseHeaders(make(size)),
});

/** Styles are remembered, so each measurement has others. */
let colour = 0;

const repeated = (count: number, make: (at: number) => string[]): string[] =>
  Array.from({ length: count }, (_, at) => make(at)).flat();

const box = (name: string, type: 'image/avif' | 'image/jpeg', make: (size: number) => Buffer): TextCase => ({
  name,
  largest: 256 * 1024,
  parse: (size) => readDimensions(type, make(size)),
});

/** An EXIF segment of 20 bytes without entries. */
const exif = Buffer.from('ffe10012457869660000492a0000000008000000', 'hex');

function boxOf(type: string, ...inside: Buffer[]): Buffer {
  const body = Buffer.concat(inside);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** A file whose tables of properties all belong to another item than the primary one. */
function avifOf(size: number): Buffer {
  const entry = Buffer.from('0000000000000001000201ff', 'hex');
  const tables = Array.from({ length: size / 20 }, () => boxOf('ipma', entry));
  const primary = boxOf('pitm', Buffer.from('000000000001', 'hex'));
  return boxOf('meta', Buffer.alloc(4), primary, boxOf('iprp', boxOf('ipco'), ...tables));
}

export const textCases: TextCase[] = [
  filename('blanks', ' '),
  filename('dots', '. '),
  filename('accents', 'e\u0301\u0302'),
  filename('family emoji', '\u{1F468}\u200D'),
  target('a long path', (size) => `http://a.example/${filled('a', size)}`),
  target('dots', (size) => `http://a.example/${filled('../', size)}`),
  target('a long host', (size) => `http://${filled('a.', size)}`),
  target('at signs', (size) => `http://a.example/${filled('@', size)} `),
  target('percent signs', (size) => `http://a.example/${filled('%41', size)}`),
  {
    name: 'EGRESS_ALLOW',
    largest: 64_000,
    parse: (size) => parseEgressAllow(filled('10.0.0.0/8:80,', size)),
  },
  { name: 'EGRESS_ALLOW, colons', largest: 64_000, parse: (size) => parseEgressAllow(filled(':1', size)) },
  {
    name: 'EGRESS_ALLOW, brackets',
    largest: 64_000,
    parse: (size) => parseEgressAllow(`[${filled(':]', size)}`),
  },
  {
    name: 'proxy target',
    largest: 64_000,
    parse: (size) => parseAbsoluteForm(`http://${filled('a', size)}#`),
  },
  proxied('names in Connection, next to headers', (size) => [
    'Connection',
    Array.from({ length: size / 8 }, (_, at) => at.toString(36)).join(),
    ...repeated(size / 16, (at) => [`x${at}`, 'y']),
  ]),
  proxied('many Connection headers', (size) => repeated(size / 20, () => ['Connection', 'a,b,c,d'])),
  proxied('headers that cannot be sent', (size) => repeated(size / 16, () => ['a', '\u0001'])),
  headByteByByte,
  contentByteByByte,
  form('a long line', 'a'),
  form('almost the boundary', `\r\n--${'a'.repeat(199)}b`),
  form('the boundary without its end', `\r\n--${'a'.repeat(200)}b`),
  form('returns', '\r'),
  {
    name: 'SVG dimensions',
    largest: 64_000,
    parse: (size) =>
      readSvgDimensions(Buffer.from(`<svg width="${filled(' ', size)}1" height="1e9x"></svg>`)),
  },
  box('AVIF: property tables', 'image/avif', (size) => avifOf(size)),
  box('JPEG: segments', 'image/jpeg', (size) =>
    Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(size - (size % 20), exif)]),
  ),
  svg('elements', (size) => filled('<path d="M0 0"/>', size)),
  svg(
    'attributes',
    (size) => `<g ${Array.from({ length: size / 16 }, (_, at) => `data-a${at}="b"`).join(' ')}/>`,
  ),
  svg('a long path', (size) => `<path d="${filled('M0 0L1 1', size)}"/>`),
  svg(
    'a list of colours',
    (size) => `<animate attributeName="fill" values="${filled('rgb(1,2,3);', size)}"/>`,
  ),
  svg('style rules', (size) => `<style>${filled('.a{fill:red}', size)}</style>`),
  svg('open brackets in a style', (size) => `<style>.a{fill:${filled('rgb(', size)}}</style>`),
  svg('open comments in a style', (size) => `<style>${filled('/*', size)}</style>`),
  svg('escapes in a style', (size) => `<style>${filled('\\\\66 ', size)}</style>`),
  svg('open quotes in a style', (size) => `<style>${filled('"a\n', size)}</style>`),
  svg('addresses in a style', (size) => `<style>.a{fill:${filled('url(#a) ', size)}}</style>`),
  svg(
    'blanks in an attribute',
    (size) => `<rect width="${filled(' ', size)}1" style="fill:${filled(' ', size)}"/>`,
  ),
  svg('entities', (size) => filled('&amp;', size)),
  svg(
    'elements at the greatest depth',
    (size) => `${'<g>'.repeat(250)}${filled('<a/>', size)}${'</g>'.repeat(250)}`,
  ),
  svg(
    'namespaces',
    (size) => `<g ${Array.from({ length: size / 16 }, (_, at) => `xmlns:a${at}="b"`).join(' ')}/>`,
  ),
  svg('elements that are used', (size) =>
    Array.from({ length: size / 40 }, (_, at) => `<g id="a${at}"/><use href="#a${at + 1}"/>`).join(''),
  ),
  svg('different styles', (size) => {
    colour += 1;
    return Array.from({ length: size / 40 }, (_, at) => `<g style="fill:rgb(${colour},2,${at})"/>`).join('');
  }),
  svg('sources of a font', (size) => `<style>@font-face{src:${filled('local("a"),', size)}}</style>`),
  svg('nested rules in a style', (size) => `<style>${filled('@media a{', size)}</style>`),
  svg('text', (size) => `<text>${filled('a ]]', size)}</text>`),
  {
    name: 'SVG: a doctype of entities',
    largest: 1_000_000,
    isInWorker: true,
    parse: (size) =>
      sanitizeSvg(
        Buffer.from(
          `<!DOCTYPE svg [${filled('<!ENTITY a  "b" ', size)}]><svg xmlns="http://www.w3.org/2000/svg"/>`,
        ),
      ),
  },
];
