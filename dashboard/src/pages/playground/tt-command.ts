// The same call as a `tt` command.
import { shellWord } from '#http/docs/samples.ts';
import { omit, valueAt, type ObjectSchema } from '#shared/fields.ts';
import { flagsOf, sides, type Flag } from '#shared/flags.ts';

type Body = Record<string, unknown>;

/** The ending of the file says the format, unless the result stays on the service. */
export function ttRender(
  baseUrl: string,
  kind: 'screenshot' | 'pdf',
  request: ObjectSchema,
  body: Body,
): string {
  const { url, response, format = kind === 'pdf' ? 'pdf' : 'png' } = body;
  const isHosted = response === 'json';
  const flags = flagsOf(omit(request, 'url', 'response', ...(isHosted ? [] : ['format'])));
  return command(baseUrl, [
    `tt ${kind} ${shellWord(String(url))}`,
    ...flags.flatMap((flag) => wordsOf(flag, valueAt(body, flag.path))),
    isHosted ? '--json' : `-o page.${String(format)}`,
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
  return [`--${name} ${shellWord(kind === 'sides' ? sizesOf(value as Body) : String(value))}`];
}

/** All four sides in CSS order; a bare number is in pixels. */
const sizesOf = (margin: Body): string => sides.map((side) => String(margin[side] ?? 0)).join(' ');
