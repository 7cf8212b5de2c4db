// Texts and files that are parsed outside the request itself, each as hard to parse as possible.
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { parseAbsoluteForm, responseHeaders } from '#wall/proxy-message.ts';
import { createEgressRules } from '#wall/rules.ts';
import { waysOut } from '#wall/ways-out.ts';
import { checkTarget } from '#renders/target-url.ts';
import { readDimensions } from '#uploads/dimensions.ts';
import { readSvgDimensions } from '#uploads/dimensions-svg.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import { cleanPicture, type CleanableType } from '#uploads/metadata/remove-metadata.ts';
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
  largest: waysOut.page.limits.headerBytes,
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

const metadata = (name: string, type: CleanableType, make: (size: number) => Buffer): TextCase => ({
  name: `metadata: ${name}`,
  largest: 10_000_000,
  isInWorker: true,
  parse: (size) => cleanPicture(type, make(size)),
});

function chunkOf(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}

const webpOf = (...chunks: Buffer[]): Buffer =>
  chunkOf('RIFF', Buffer.concat([Buffer.from('WEBP'), chunkOf('VP8X', Buffer.alloc(10)), ...chunks]));
const emptyChunks = (size: number): Buffer =>
  Buffer.alloc(size - (size % 8), chunkOf('none', Buffer.alloc(0)));
const frameOf = (inside: Buffer): Buffer => chunkOf('ANMF', Buffer.concat([Buffer.alloc(16), inside]));

/** Half of it frames, each in the one before, and half chunks in the innermost one. */
function nestedFrames(size: number): Buffer {
  const inside = emptyChunks(size / 2);
  const heads = Buffer.alloc(size / 2 - ((size / 2) % 24), chunkOf('ANMF', Buffer.alloc(16)));
  const frames = Buffer.concat([heads, inside]);
  for (let at = 0; at < heads.length; at += 24) frames.writeUInt32LE(frames.length - at - 8, at + 4);
  return webpOf(frames);
}

const jpegOf = (filling: string) => (size: number) =>
  Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(size, Buffer.from(filling, 'hex'))]);

const scanOf = (filling: string) => (size: number) =>
  Buffer.concat([
    Buffer.from('ffd8ffda000c03010002110311003f00', 'hex'),
    Buffer.alloc(size, Buffer.from(filling, 'hex')),
  ]);

/** Directories of EXIF that each say that they have 65,535 entries. */
const exifOfEntries = Buffer.concat([
  Buffer.from('ffe1fff0457869660000', 'hex'),
  Buffer.from('4d4d002a00000008ffff', 'hex'),
  Buffer.alloc(0xfff0 - 16, 0x01),
]);

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
  metadata('frames of a WebP in frames', 'image/webp', nestedFrames),
  metadata('chunks of a WebP', 'image/webp', (size) => webpOf(emptyChunks(size))),
  metadata('frames of a WebP with many chunks', 'image/webp', (size) =>
    webpOf(...Array.from({ length: 12 }, () => frameOf(emptyChunks(size / 12)))),
  ),
  metadata('frames of a WebP with a text', 'image/webp', (size) =>
    webpOf(Buffer.alloc(size - (size % 40), frameOf(chunkOf('XMP ', Buffer.from('dc:title'))))),
  ),
  metadata('chunks of a PNG', 'image/png', (size) =>
    Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      Buffer.alloc(size - (size % 12), Buffer.from('000000007445587400000000', 'hex')),
    ]),
  ),
  metadata('segments of a JPEG', 'image/jpeg', jpegOf('fffe0002')),
  metadata('EXIF of many entries in a JPEG', 'image/jpeg', (size) =>
    Buffer.concat([
      Buffer.from('ffd8', 'hex'),
      ...Array.from({ length: size / exifOfEntries.length }, () => exifOfEntries),
    ]),
  ),
  metadata('bytes between the segments of a JPEG', 'image/jpeg', jpegOf('ffff0000')),
  metadata('markers in the scan of a JPEG', 'image/jpeg', scanOf('ff00')),
  metadata('restarts in the scan of a JPEG', 'image/jpeg', scanOf('ffd0ffff')),
  metadata('blocks of a GIF', 'image/gif', (size) =>
    Buffer.concat([
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0!\xfe', 'latin1'),
      Buffer.alloc(size, 1),
      Buffer.of(0),
    ]),
  ),
  metadata('frames of a GIF', 'image/gif', (size) =>
    Buffer.concat([
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'),
      Buffer.alloc(size, Buffer.from('2c00000000010001000000', 'hex')),
    ]),
  ),
  metadata('boxes of an AVIF', 'image/avif', (size) =>
    Buffer.concat([
      boxOf('ftyp', Buffer.from('avif\0\0\0\0avif')),
      Buffer.alloc(Math.min(size, 4_000 * 8), boxOf('free')),
      boxOf('meta', Buffer.alloc(4), boxOf('iinf', Buffer.alloc(6)), boxOf('iloc', Buffer.alloc(8))),
    ]),
  ),
  metadata('words of XMP', 'image/png', (size) => {
    const text = Buffer.from(`XML:com.adobe.xmp\0${filled('exif:', size)}`);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), length, Buffer.from('iTXt'), text, length]);
  }),
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
