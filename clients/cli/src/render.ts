// tt screenshot and tt pdf: one page to one file.
import { toSnake } from '../../library/src/letter-case.ts';
import { openService } from '../../shared/src/service.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import { text, type Call, type Command, type Values } from './command.ts';
import { choicesOf, helpRows, helpTable, parsedFlags } from './field-flags.ts';
import { chooseOutput, deliver } from './output-file.ts';
import { fileEnding, optionsOf, pdfKind, screenshotKind, toUrl, type RenderKind } from './render-kinds.ts';

export const screenshot = commandFor(screenshotKind, {
  summary: 'Capture a web page as an image',
  verb: 'Captures',
  output: 'A file whose ending sets the format, a folder, or - for stdout',
  examples: `  tt screenshot example.com -o example.png
  tt screenshot --full-page --format webp https://example.com > example.webp
  tt screenshot --link https://example.com`,
});

export const pdf = commandFor(pdfKind, {
  summary: 'Print a web page to PDF',
  verb: 'Prints',
  output: 'A file, a folder, or - for stdout',
  examples: `  tt pdf example.com -o example.pdf
  tt pdf --paper-format a4 --margin 2cm https://example.com > example.pdf
  tt pdf --json https://example.com | jq -r .url`,
});

function commandFor(
  kind: RenderKind,
  { summary, verb, output, examples }: Record<'summary' | 'verb' | 'output' | 'examples', string>,
): Command {
  const { name, what, flags } = kind;
  return {
    summary,
    help: `Usage: tt ${name} [options] URL

${verb} a public web page. The ${what} goes to FILE and its name to stdout;
without -o the ${what} itself goes to stdout, or, on a terminal, to a file
named after the page.

Options:
${helpTable([
  ['-o, --output FILE', output],
  ...helpRows(flags),
  ['--link', `Keep the ${what} on the service and print its link`],
  ['--json', `Keep the ${what} on the service and print its metadata`],
])}

Examples:
${examples}`,
    options: {
      output: { type: 'string', short: 'o' },
      ...parsedFlags(flags),
      link: { type: 'boolean' },
      json: { type: 'boolean' },
    },
    choices: choicesOf(flags),
    run: (call) => run(kind, call),
  };
}

async function run(kind: RenderKind, { values, positionals, signal }: Call): Promise<number> {
  const url = onlyUrl(positionals);
  const output = text(values, 'output');
  const options = { ...optionsOf(kind, values, output), signal };
  refuseTwoAnswers(values);
  const { client, note } = await openService();
  const isPdf = kind.name === 'pdf';
  if (values['json'] || values['link']) {
    const hosted = { ...options, response: 'json' } as const;
    const { meta, ...metadata } = await (isPdf ? client.pdf(url, hosted) : client.screenshot(url, hosted));
    note('renders', meta);
    await print(`${values['link'] ? metadata.url : JSON.stringify(toSnake(metadata))}\n`);
  } else {
    const file = await chooseOutput(output, url, fileEnding(kind, options));
    const { bytes, meta } = await (isPdf ? client.pdf(url, options) : client.screenshot(url, options));
    note('renders', meta);
    await deliver(bytes, file);
  }
  return 0;
}

/** With --json and --link the result stays on the service, so there is nothing to write into a file. */
export function refuseTwoAnswers(values: Values): void {
  const given = ['json', 'link', 'output'].filter((name) => values[name] !== undefined);
  if (given.length > 1) throw new UsageError(`give one of ${given.map((name) => `--${name}`).join(' and ')}`);
}

function onlyUrl(positionals: string[]): string {
  const [first, ...others] = positionals;
  if (first === undefined || others.length > 0) throw new UsageError('name one URL');
  return toUrl(first);
}
