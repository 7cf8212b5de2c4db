// The same call as a `tt` command.
import { shellWord } from '#http/docs/samples.ts';
import { omit, valueAt, type ObjectSchema } from '#shared/fields.ts';
import { flagsOf, sides, type Flag } from '#shared/flags.ts';

type Body = Record<string, unknown>;
type Size = string | number;
type Sizes = Record<string, Size>;

/** The ending of the file says the format, unless the result stays on the service. */
export function ttRender(
  baseUrl: string,
  kind: 'screenshot' | 'pdf',
  request: ObjectSchema,
  body: Body,
): string {
  const { url, response, format = kind === 'pdf' ? 'pdf' : 'png' } = body as Record<string, string>;
  const isHosted = response === 'json';
  const flags = flagsOf(omit(request, 'url', 'response', ...(isHosted ? [] : ['format'])));
  return command(baseUrl, [
    `tt ${kind} ${shellWord(url ?? '')}`,
    ...flags.flatMap((flag) => wordsOf(flag, valueAt(body, flag.path))),
    isHosted ? '--json' : `-o page.${format}`,
  ]);
}

export const ttUpload = (baseUrl: string, filename: string, expiresIn: number | undefined): string =>
  command(baseUrl, [
    `tt upload ${shellWord(filename)}`,
    ...(expiresIn === undefined ? [] : [`--expires-in ${expiresIn}`]),
  ]);

const command = (baseUrl: string, words: string[]): string =>
  `# Once: tt login --url ${baseUrl}\n${words.join(' ')}`;

function wordsOf({ name, kind, schema }: Flag, value: unknown): string[] {
  if (value === undefined || value === schema.default) return [];
  if (kind === 'switch') return [`--${name}`];
  const word = kind === 'sides' ? sizesOf(value as Sizes) : `${value as Size}`;
  return [`--${name} ${shellWord(word)}`];
}

/** All four sides in CSS order; a bare number is in pixels. */
const sizesOf = (margin: Sizes): string => sides.map((side) => String(margin[side] ?? 0)).join(' ');
