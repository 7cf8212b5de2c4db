// tt screenshot: one page to one picture.
import type { ParseArgsOptionsConfig } from 'node:util';
import { toSnake } from '../../library/src/letter-case.ts';
import type { ScreenshotOptions } from '../../library/src/options.ts';
import { number, oneOf, print, text, type Command, type Values } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { chooseOutput, deliver, formatFor } from './output-file.ts';
import { openService } from './service.ts';

export const screenshotFlags: ParseArgsOptionsConfig = {
  'full-page': { type: 'boolean' },
  format: { type: 'string' },
  width: { type: 'string' },
  height: { type: 'string' },
};

export const screenshotFlagsHelp = `  --full-page        The whole scrollable height
  --format FORMAT    png, jpeg or webp
  --width PIXELS     Viewport width, 320 to 3840 (1440)
  --height PIXELS    Viewport height, 320 to 2160 (900)`;

export const screenshot: Command = {
  summary: 'Capture a web page as an image',
  help: `Usage: tt screenshot [options] URL

Captures a public web page. The picture goes to FILE and its name to stdout;
without -o the picture itself goes to stdout, or, on a terminal, to a file
named after the page.

Options:
  -o, --output FILE  A file whose ending sets the format, a folder, or - for
                     stdout
${screenshotFlagsHelp}
  --link             Keep the picture on the service and print its link
  --json             Keep the picture on the service and print its metadata

Examples:
  tt screenshot example.com -o example.png
  tt screenshot --full-page --format webp https://example.com > example.webp
  tt screenshot --link https://example.com`,
  options: {
    output: { type: 'string', short: 'o' },
    ...screenshotFlags,
    link: { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run({ values, positionals, signal }) {
    const url = onlyUrl(positionals);
    const output = text(values, 'output');
    const options = { ...screenshotOptions(values, output), signal };
    refuseTwoAnswers(values);
    const { client, note } = await openService();
    if (values['json'] || values['link']) {
      const { meta, ...metadata } = await client.screenshot(url, { ...options, response: 'json' });
      note('renders', meta);
      await print(`${values['link'] ? metadata.url : JSON.stringify(toSnake(metadata))}\n`);
    } else {
      const file = await chooseOutput(output, url, extensionOf(options.format));
      const { bytes, meta } = await client.screenshot(url, options);
      note('renders', meta);
      await deliver(bytes, file);
    }
    return 0;
  },
};

export const pictureFormats = ['png', 'jpeg', 'webp'] as const;

/** With --json and --link the result stays on the service, so there is nothing to write into a file. */
export function refuseTwoAnswers(values: Values): void {
  const given = ['json', 'link', 'output'].filter((name) => values[name] !== undefined);
  if (given.length > 1) throw new UsageError(`give one of ${given.map((name) => `--${name}`).join(' and ')}`);
}

export const extensionOf = (format: ScreenshotOptions['format'] = 'png'): string =>
  format === 'jpeg' ? 'jpg' : format;

export function screenshotOptions(values: Values, output?: string): ScreenshotOptions {
  const format = formatFor(output, oneOf(values, 'format', pictureFormats), pictureFormats);
  const width = number(values, 'width');
  const height = number(values, 'height');
  return {
    ...(values['full-page'] === true && { fullPage: true }),
    ...(format && { format }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}

export function onlyUrl(positionals: string[]): string {
  const [first, ...others] = positionals;
  if (first === undefined || others.length > 0) throw new UsageError('name one URL');
  return toUrl(first);
}

/** Adds the scheme that people leave out: example.com is https://example.com */
export function toUrl(typed: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(withScheme)) throw new UsageError(`not a URL: ${typed}`);
  return withScheme;
}
