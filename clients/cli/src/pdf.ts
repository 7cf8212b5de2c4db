// tt pdf: one page to one document.
import type { ParseArgsOptionsConfig } from 'node:util';
import { toSnake } from '../../library/src/letter-case.ts';
import type { PdfOptions } from '../../library/src/options.ts';
import { number, oneOf, print, text, type Command, type Values } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { chooseOutput, deliver, formatFor } from './output-file.ts';
import { onlyUrl, refuseTwoAnswers } from './screenshot.ts';
import { openService } from './service.ts';

export const pdfFlags: ParseArgsOptionsConfig = {
  'paper-format': { type: 'string' },
  landscape: { type: 'boolean' },
  'no-print-background': { type: 'boolean' },
  'prefer-css-page-size': { type: 'boolean' },
  scale: { type: 'string' },
  margin: { type: 'string' },
  width: { type: 'string' },
  height: { type: 'string' },
  'wait-until': { type: 'string' },
  'delay-ms': { type: 'string' },
};

export const pdfFlagsHelp = `  --paper-format FORMAT    letter, a4 or legal (letter)
  --landscape              Rotate the paper
  --no-print-background    Leave out background colors and images
  --prefer-css-page-size   Let the page's own page size win
  --scale NUMBER           0.1 to 2 (1)
  --margin SIZES           One for all sides, or up to four as in CSS: "1cm 2cm"
  --width PIXELS           Viewport width, 320 to 3840 (1440)
  --height PIXELS          Viewport height, 320 to 2160 (900)
  --wait-until WHAT        load, domcontentloaded, networkidle0 or networkidle2
                           (networkidle2)
  --delay-ms NUMBER        Extra wait, 0 to 10000 (0)`;

export const pdf: Command = {
  summary: 'Print a web page to PDF',
  help: `Usage: tt pdf [options] URL

Prints a public web page. The document goes to FILE and its name to stdout;
without -o the document itself goes to stdout, or, on a terminal, to a file
named after the page.

Options:
  -o, --output FILE        A file, a folder, or - for stdout
${pdfFlagsHelp}
  --link                   Keep it on the service and print its link
  --json                   Keep it on the service and print its metadata

Examples:
  tt pdf example.com -o example.pdf
  tt pdf --paper-format a4 --margin 2cm https://example.com > example.pdf
  tt pdf --json https://example.com | jq -r .url`,
  options: {
    output: { type: 'string', short: 'o' },
    ...pdfFlags,
    link: { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run({ values, positionals, signal }) {
    const url = onlyUrl(positionals);
    const options = { ...pdfOptions(values), signal };
    const output = text(values, 'output');
    refuseTwoAnswers(values);
    formatFor(output, 'pdf', ['pdf']);
    const { client, note } = await openService();
    if (values['json'] || values['link']) {
      const { meta, ...metadata } = await client.pdf(url, { ...options, response: 'json' });
      note('renders', meta);
      await print(`${values['link'] ? metadata.url : JSON.stringify(toSnake(metadata))}\n`);
    } else {
      const file = await chooseOutput(output, url, 'pdf');
      const { bytes, meta } = await client.pdf(url, options);
      note('renders', meta);
      await deliver(bytes, file);
    }
    return 0;
  },
};

export function pdfOptions(values: Values): PdfOptions {
  const width = number(values, 'width');
  const height = number(values, 'height');
  const given = {
    paperFormat: oneOf(values, 'paper-format', ['letter', 'a4', 'legal']),
    landscape: values['landscape'] ? true : undefined,
    printBackground: values['no-print-background'] ? false : undefined,
    preferCssPageSize: values['prefer-css-page-size'] ? true : undefined,
    scale: number(values, 'scale'),
    margin: parseMargin(text(values, 'margin')),
    viewport:
      width === undefined && height === undefined
        ? undefined
        : { ...(width !== undefined && { width }), ...(height !== undefined && { height }) },
    waitUntil: oneOf(values, 'wait-until', ['load', 'domcontentloaded', 'networkidle0', 'networkidle2']),
    delayMs: number(values, 'delay-ms'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** One to four sizes, in the order of CSS. */
function parseMargin(value: string | undefined): PdfOptions['margin'] {
  if (value === undefined) return undefined;
  const sizes = value
    .trim()
    .split(/\s+/)
    .map((size) => (/^(\d+(\.\d+)?|\.\d+)$/.test(size) ? Number(size) : size));
  const [top, right = top, bottom = top, left = right] = sizes;
  if (
    top === undefined ||
    right === undefined ||
    bottom === undefined ||
    left === undefined ||
    sizes.length > 4 ||
    top === ''
  ) {
    throw new UsageError('--margin has one to four sizes, such as "1cm 2cm"');
  }
  return { top, right, bottom, left };
}
