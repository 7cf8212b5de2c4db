// The fields of a request on the command line: what is parsed, what --help says, and what is sent.
import type { ParseArgsOptionsConfig } from 'node:util';
import { setValue, type Schema } from '../../shared/src/fields.ts';
import { sides, type Flag } from '../../shared/src/flags.ts';
import { UsageError } from '../../shared/src/terminal.ts';
import { number, text, texts, type Values } from './command.ts';

export type HelpRow = [flag: string, meaning: string];

export const parsedFlags = (flags: Flag[]): ParseArgsOptionsConfig =>
  Object.fromEntries(
    flags.map(({ name, kind }) => [
      name,
      { type: kind === 'switch' ? 'boolean' : 'string', ...(kind === 'list' && { multiple: true }) },
    ]),
  );

/** The values of the flags that have few. */
export const choicesOf = (flags: Flag[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    flags.flatMap(({ name, schema }) => {
      const choices = schema.enum ?? membersOf(schema)?.enum;
      return choices && choices.length <= maxShownChoices ? [[name, choices]] : [];
    }),
  );

/** The fields that were given, as the API names them. */
export function fieldsFrom(flags: Flag[], values: Values): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const flag of flags) {
    const value = valueOf(flag, values);
    if (value !== undefined) setValue(fields, flag.path, value);
  }
  return fields;
}

function valueOf({ name, kind, schema }: Flag, values: Values): unknown {
  if (kind === 'switch') return values[name] === true ? schema.default !== true : undefined;
  if (kind === 'number') return number(values, name);
  if (kind === 'list') return listOf(texts(values, name), name, schema);
  const value = text(values, name);
  if (value === undefined) return undefined;
  if (kind === 'sides') return sizesOf(name, value);
  requireChoice(value, name, schema.enum);
  return value;
}

/** The texts of a list, whose members may also be objects. */
const membersOf = ({ items }: Schema): Schema | undefined =>
  items?.anyOf?.find(({ type }) => type === 'string') ?? items;

function listOf(values: string[], name: string, schema: Schema): unknown[] | undefined {
  const list = values.map((value) => {
    if (schema.items?.anyOf && value.startsWith('{')) return parsed(value, name);
    requireChoice(value, name, membersOf(schema)?.enum);
    return value;
  });
  return list.length === 0 ? undefined : list;
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${name} is not valid JSON: ${text}`);
  }
}

/** The name of a device is one of two hundred: the service knows the nearest. */
function requireChoice(value: string, name: string, choices: readonly string[] | undefined): void {
  if (choices?.includes(value) === false && choices.length <= maxShownChoices)
    throw new UsageError(`--${name} must be ${choices.join(', ')}, not "${value}"`);
}

const maxShownChoices = 20;

/** Reads one to four sizes as the CSS property `margin` does: top, right, bottom, left. */
function sizesOf(name: string, value: string): Record<string, string | number> {
  const sizes = value
    .trim()
    .split(/\s+/)
    .map((size) => (/^(\d+(\.\d+)?|\.\d+)$/.test(size) ? Number(size) : size));
  const [top = '', right = top, bottom = top, left = right] = sizes;
  if (sizes.length > 4 || top === '')
    throw new UsageError(`--${name} has one to four sizes, such as "1cm 2cm"`);
  return Object.fromEntries(sides.map((side, index) => [side, [top, right, bottom, left][index] as string]));
}

export const helpRows = (flags: Flag[]): HelpRow[] =>
  flags.map((flag): HelpRow => [`--${flag.name}${argumentOf(flag)}`, meaningOf(flag)]);

function argumentOf({ name, kind, schema }: Flag): string {
  if (kind === 'switch') return '';
  if (kind === 'sides') return ' SIZES';
  if (kind === 'number') return schema['x-unit'] === 'px' ? ' PIXELS' : ' NUMBER';
  return ` ${name.split('-').at(-1)?.toUpperCase()}`;
}

function meaningOf({ kind, schema }: Flag): string {
  const {
    description = '',
    'x-formats': formats,
    enum: choices,
    minimum,
    maximum,
    default: fallback,
  } = schema;
  const fitting = formats ? `; only ${formats.join(', ')}` : '';
  // Other fields are flags here.
  const sentence = description
    .replace(/\.$/, '')
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => `--${name.replaceAll('_', '-')}`);
  if (kind === 'switch') return (fallback === true ? `Do not ${lowered(sentence)}` : sentence) + fitting;
  if (kind === 'sides') return `${sentence}: one for all sides, or up to four as in CSS: "1cm 2cm"${fitting}`;
  const rule =
    choices && choices.length <= maxShownChoices
      ? `: ${listed(choices)}`
      : minimum === undefined
        ? ''
        : `, ${minimum} to ${maximum}`;
  if (kind === 'list') {
    const { enum: members } = membersOf(schema) ?? {};
    return `${sentence}${members ? `: ${listed(members)}` : ''}; may be given several times${fitting}`;
  }
  return `${sentence}${rule}${fallback === undefined ? '' : ` (${fallback as string | number})`}${fitting}`;
}

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);
const listed = (choices: readonly string[]): string =>
  `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;

const columns = 80;

/** The rows in two columns, in lines of at most 80 characters. */
export function helpTable(rows: HelpRow[]): string {
  const indent = Math.max(...rows.map(([flag]) => flag.length)) + 4;
  return rows
    .flatMap(([flag, meaning]) =>
      wrapped(meaning, columns - indent).map((line, index) =>
        index === 0 ? `  ${flag}`.padEnd(indent) + line : ' '.repeat(indent) + line,
      ),
    )
    .join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
