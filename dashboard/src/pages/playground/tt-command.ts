// The same call as a `tt` command.
import { clientsVersion } from '#site/clients-version.ts';
import { endingOf, shellWord } from '#site/docs/samples.ts';
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
    isHosted ? '--json' : `-o page.${endingOf(format)}`,
  ]);
}

/** Fields with flags of their own, as `tt render --help` shows them. */
const special = ['headers', 'cookies', 'basic_auth', 'wait_for'];

/** A document is a file; what tt has no words for, such as several outputs, is left out. */
export function ttRenderAny(baseUrl: string, request: ObjectSchema, body: Body): string {
  const { url, response, format = 'png' } = body as Record<string, string>;
  const isQueued = body['async'] === true;
  const isHosted = response === 'json' || isQueued;
  const flags = flagsOf(
    omit(
      request,
      'url',
      'html',
      'markdown',
      'outputs',
      'response',
      ...special,
      ...(isHosted ? [] : ['format']),
    ),
  );
  const { headers = {}, basic_auth: login, wait_for: conditions = [] } = body as Special;
  return command(baseUrl, [
    `tt render ${shellWord(url ?? ('html' in body ? 'document.html' : 'document.md'))}`,
    ...flags.flatMap((flag) => wordsOf(flag, valueAt(body, flag.path))),
    ...Object.entries(headers).map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    ...(login ? [`--basic-auth ${shellWord(`${login.username ?? ''}:${login.password ?? ''}`)}`] : []),
    ...[conditions].flat().map(conditionOf),
    // The id of a queued render goes to stdout.
    ...(isQueued ? [] : [isHosted ? '--json' : `-o page.${endingOf(format)}`]),
  ]);
}

type Condition = string | { selector?: string; expression?: string };

interface Special {
  headers?: Record<string, string>;
  basic_auth?: { username?: string; password?: string };
  wait_for?: Condition | Condition[];
}

function conditionOf(condition: Condition): string {
  const { selector = '', expression } = typeof condition === 'string' ? { selector: condition } : condition;
  return expression === undefined
    ? `--wait-for ${shellWord(selector)}`
    : `--wait-for-expression ${shellWord(expression)}`;
}

export const ttUpload = (baseUrl: string, filename: string, expiresIn: number | undefined): string =>
  command(baseUrl, [
    `tt upload ${shellWord(filename)}`,
    ...(expiresIn === undefined ? [] : [`--expires-in ${expiresIn}`]),
  ]);

const command = (baseUrl: string, words: string[]): string =>
  `# Once: npm install -g ${baseUrl}/clients/tintype-cli-${clientsVersion}.tgz && tt login --url ${baseUrl}\n${words.join(' ')}`;

function wordsOf({ name, kind, schema }: Flag, value: unknown): string[] {
  if (value === undefined || value === schema.default) return [];
  if (kind === 'switch') return [`--${name}`];
  if (kind === 'list') return (value as string[]).map((one) => `--${name} ${shellWord(one)}`);
  if (kind === 'text' && typeof value === 'object') return [];
  const word = kind === 'sides' ? sizesOf(value as Sizes) : `${value as Size}`;
  // What begins with a dash would be a flag.
  return [`--${name}${word.startsWith('-') ? '=' : ' '}${shellWord(word)}`];
}

/** All four sides in CSS order; a bare number is in pixels. */
const sizesOf = (margin: Sizes): string => sides.map((side) => String(margin[side] ?? 0)).join(' ');
