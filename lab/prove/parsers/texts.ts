// Texts and files that are parsed outside the request itself, each as hard to parse as possible.
import { parseEgressAllow } from '#browser/egress/allow-list.ts';
import { parseAbsoluteForm } from '#browser/egress/proxy-message.ts';
import { createEgressRules } from '#browser/egress/rules.ts';
import { checkTarget } from '#renders/target-url.ts';
import { readSvgDimensions } from '#uploads/dimensions-svg.ts';
import { sanitizeFilename } from '#uploads/filename.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';
import { createFormParser } from '#http/form-parser.ts';

export interface TextCase {
  name: string;
  largest: number;
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
  headByteByByte,
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
