// tt render: a page, or a document on this machine, to one file, by version 2 of the interface.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toCamel, toSnake } from '../../library/src/letter-case.ts';
import type { NamedFile } from '../../library/src/files.ts';
import type { RenderFields } from '../../library/src/renders.ts';
import { omit } from '../../shared/src/fields.ts';
import { endingOf, formatFor } from '../../shared/src/file-names.ts';
import { flagsOf } from '../../shared/src/flags.ts';
import { RenderRequest } from '../../shared/src/requests.ts';
import { openService } from '../../shared/src/service.ts';
import { print, remark, UsageError } from '../../shared/src/terminal.ts';
import { readStdin, text, texts, type Call, type Command, type Values } from './command.ts';
import { choicesOf, fieldsFrom, helpRows, helpTable, parsedFlags } from './field-flags.ts';
import { chooseOutput, deliver } from './output-file.ts';
import { refuseTwoAnswers } from './render.ts';
import { toUrl } from './render-kinds.ts';

/** Given in another way: as the argument, by flags of their own, or not at all. */
const special = ['headers', 'cookies', 'basic_auth', 'wait_for'] as const;
const flags = flagsOf(omit(RenderRequest, 'url', 'html', 'markdown', 'outputs', 'response', ...special));
const formats = RenderRequest.properties['format']?.enum ?? [];

export const renderDocument: Command = {
  summary: 'Render a page, or HTML or Markdown, as picture, PDF or text',
  help: `Usage: tt render [options] URL | FILE.html | FILE.md | -

Renders a public web page, or a document of yours; - reads HTML from stdin.
The result goes to FILE and its name to stdout; without -o the result itself
goes to stdout, or, on a terminal, to a file named after the page.
With --async the render is queued, and its id goes to stdout.

Options:
${helpTable([
  ['-o, --output FILE', 'A file whose ending sets the format, a folder, or - for stdout'],
  ['--file PATH', 'A file that the document uses, relative to it; may be given several times'],
  ['--header "NAME: VALUE"', "A header for the page's own origin; may be given several times"],
  ['--cookie NAME=VALUE', "A cookie for the page's host; may be given several times"],
  ['--basic-auth USER:PASSWORD', "A password for the page's own origin"],
  ['--wait-for SELECTOR', 'Wait until this is visible; may be given several times'],
  ['--wait-for-expression JS', 'Wait until this is true; may be given several times'],
  ...helpRows(flags),
  ['--link', 'Keep the result on the service and print its link'],
  ['--json', 'Keep the result on the service and print its receipt'],
])}

Examples:
  tt render example.com -o example.webp --color-scheme dark --pixel-ratio 2
  tt render invoice.html --file logo.png -o invoice.pdf --paper-format a4
  tt render --format markdown --main-content https://example.com/article`,
  options: {
    output: { type: 'string', short: 'o' },
    file: { type: 'string', multiple: true },
    header: { type: 'string', multiple: true },
    cookie: { type: 'string', multiple: true },
    'basic-auth': { type: 'string' },
    'wait-for': { type: 'string', multiple: true },
    'wait-for-expression': { type: 'string', multiple: true },
    ...parsedFlags(flags),
    link: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  choices: choicesOf(flags),
  run,
};

async function run({ values, positionals, signal }: Call): Promise<number> {
  refuseTwoAnswers(values);
  const { source, folder, name } = await sourceOf(positionals);
  const output = text(values, 'output');
  const given = fieldsFrom(flags, values);
  const format = formatFor(output, given['format'] as string | undefined, formats);
  const fields = {
    ...source,
    ...(toCamel({ ...given, ...(format !== undefined && { format }) }) as object),
    ...secretsOf(values),
    ...waitsOf(values),
  } as RenderFields;
  const files = texts(values, 'file').map((path): NamedFile => ({
    filename: path,
    data: join(folder, path),
  }));
  if (fields.async === true && (values['link'] === true || output !== undefined))
    throw new UsageError('--async has no result yet; leave out --link and --output');
  const { client, note } = await openService();
  if (fields.async === true) {
    const { meta, ...receipt } = await client.render({ ...fields, async: true }, { files, signal });
    note('renders', meta);
    await print(`${values['json'] ? JSON.stringify(toSnake(receipt)) : receipt.id}\n`);
    return 0;
  }
  if (values['json'] || values['link']) {
    const { meta, ...receipt } = await client.render({ ...fields, response: 'json' }, { files, signal });
    note('renders', meta);
    await print(`${values['link'] ? receipt.outputs[0]?.url : JSON.stringify(toSnake(receipt))}\n`);
    return 0;
  }
  const file = await chooseOutput(output, name, endingOf(format ?? formats[0] ?? ''));
  const { bytes, warnings, id, meta } = await client.render({ ...fields, async: false }, { files, signal });
  note('renders', meta);
  if (warnings > 0)
    remark(`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}; --json shows them (render ${id})`);
  await deliver(bytes, file);
  return 0;
}

/** `name` is what a file of the result is named after. */
export async function sourceOf([given, ...others]: string[]) {
  if (given === undefined || others.length > 0)
    throw new UsageError('name one URL, one file, or - for HTML from stdin');
  if (given === '-') return { source: { html: await readStdin() }, folder: '.', name: 'file:///page' };
  const [, ending] = /\.(html?|md|markdown)$/i.exec(given) ?? [];
  if (ending === undefined || /^https?:/i.test(given)) {
    const url = toUrl(given);
    return { source: { url }, folder: '.', name: url };
  }
  const document = await readFile(given, 'utf8').catch((error: Error) => {
    throw new UsageError(`cannot read ${given}: ${error.message}`);
  });
  const source = /^h/i.test(ending) ? { html: document } : { markdown: document };
  return { source, folder: dirname(given), name: `file:///${given.replace(/\.\w+$/, '')}` };
}

function secretsOf(values: Values): Pick<RenderFields, 'headers' | 'cookies' | 'basicAuth'> {
  const headers = texts(values, 'header').map((line) => pairOf(line, ':', 'header', '"Name: value"'));
  const cookies = texts(values, 'cookie').map((line) => pairOf(line, '=', 'cookie', 'NAME=VALUE'));
  const password = text(values, 'basic-auth');
  const [username = '', secret = ''] =
    password === undefined ? [] : pairOf(password, ':', 'basic-auth', 'USER:PASSWORD');
  return {
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(cookies.length > 0 && { cookies: cookies.map(([name, value]) => ({ name, value })) }),
    ...(password !== undefined && { basicAuth: { username, password: secret } }),
  };
}

/** The message does not repeat the text, which may be a secret. */
function pairOf(line: string, separator: string, flag: string, form: string): [string, string] {
  const at = line.indexOf(separator);
  if (at < 1) throw new UsageError(`--${flag} must be ${form}`);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

export function waitsOf(values: Values): Pick<RenderFields, 'waitFor'> {
  const expressions = texts(values, 'wait-for-expression').map((expression) => ({ expression }));
  const conditions = [...texts(values, 'wait-for'), ...expressions];
  return conditions.length === 0 ? {} : { waitFor: conditions };
}
