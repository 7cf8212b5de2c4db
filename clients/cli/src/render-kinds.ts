// The two kinds of renders as `tt` knows them.
import { toCamel } from '../../library/src/letter-case.ts';
import type { PdfOptions, ScreenshotOptions } from '../../library/src/options.ts';
import { omit, type ObjectSchema } from '../../shared/src/fields.ts';
import { endingOf, formatFor } from '../../shared/src/file-names.ts';
import { flagsOf, type Flag } from '../../shared/src/flags.ts';
import { PdfRequest, ScreenshotRequest } from '../../shared/src/requests.ts';
import { UsageError } from '../../shared/src/terminal.ts';
import type { Values } from './command.ts';
import { fieldsFrom } from './field-flags.ts';

export interface RenderKind {
  name: 'screenshot' | 'pdf';
  /** The result in a word. */
  what: string;
  flags: Flag[];
  /** What a file of it can be; the first is the default. */
  formats: readonly string[];
}

export type RenderOptions = ScreenshotOptions & PdfOptions;

const flagsFor = (schema: ObjectSchema): Flag[] => flagsOf(omit(schema, 'url', 'response'));

export const screenshotKind: RenderKind = {
  name: 'screenshot',
  what: 'picture',
  flags: flagsFor(ScreenshotRequest),
  formats: ScreenshotRequest.properties['format']?.enum ?? [],
};

export const pdfKind: RenderKind = {
  name: 'pdf',
  what: 'document',
  flags: flagsFor(PdfRequest),
  formats: ['pdf'],
};

/** The options that were given, with the format that the name of the file says, if there is a choice. */
export function optionsOf({ flags, formats }: RenderKind, values: Values, file?: string): RenderOptions {
  const fields = fieldsFrom(flags, values);
  const [only, ...others] = formats;
  const isChosen = others.length > 0;
  const format = formatFor(file, isChosen ? (fields['format'] as string | undefined) : only, formats);
  return toCamel(isChosen && format !== undefined ? { ...fields, format } : fields) as RenderOptions;
}

export const fileEnding = (
  { formats }: RenderKind,
  { format = formats[0] }: { format?: string | undefined },
): string => endingOf(format ?? '');

/** Adds the scheme that people leave out: example.com is https://example.com */
export function toUrl(typed: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(withScheme)) throw new UsageError(`not a URL: ${typed}`);
  return withScheme;
}
