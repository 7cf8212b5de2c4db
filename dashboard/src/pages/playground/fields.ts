// The fields of the render requests as the forms show, check and send them; the schemas say everything about them.
import { fieldsOf, omit, setValue, valueAt, type ObjectSchema, type Schema } from '#shared/fields.ts';

type Value = string | number | boolean;
export type Values = Record<string, Value>;
type Body = Record<string, unknown>;

export interface Field {
  /** The name in the request body; a dot leads into a nested object, as in `margin.top`. */
  path: string;
  label: string;
  /** `several` are some of a few names, `lines` a text each, `pairs` a name and a value each; all three are lines of text in the form. */
  kind: 'choice' | 'number' | 'text' | 'flag' | 'long' | 'several' | 'lines' | 'pairs';
  fallback: Value;
  schema: Schema;
  /** Spans the whole row. */
  isWide: boolean;
  /** It is not kept in the address of the page. */
  isSecret: boolean;
  /** The formats that it fits; undefined for all. */
  formats: readonly string[] | undefined;
  /** Of the form of version 2. */
  group: string | undefined;
}

/** Choices, single values, those of nested objects, texts and lists, flags: so pairs stand side by side. */
export function formFields(request: ObjectSchema): Field[] {
  return fieldsOf(omit(request, 'url'))
    .map(({ path, schema }) =>
      fieldOf(path, schema, request.properties[path.split('.', 1)[0] ?? ''] ?? schema),
    )
    .toSorted((a, b) => rankOf(a) - rankOf(b));
}

function fieldOf(path: string, schema: Schema, outer: Schema): Field {
  const kind = kindOf(schema);
  const given = isText(kind) ? textOf(schema.default) : ((schema.default ?? '') as Value);
  return {
    path,
    schema,
    kind,
    label: labelOf(path),
    fallback: given,
    isWide:
      ['long', 'several', 'lines', 'pairs'].includes(kind) ||
      schema.enum?.some(({ length }) => length > 12) === true ||
      (kind === 'text' && (schema.format === 'uri' || (schema.maxLength ?? 0) >= 100)),
    isSecret: outer.writeOnly === true,
    formats: outer['x-formats'],
    group: outer['x-group'],
  };
}

function rankOf({ path, kind, isWide }: Field): number {
  if (kind === 'flag') return 5;
  if (isWide && kind !== 'choice') return 4;
  if (path.includes('.')) return 3;
  return kind === 'choice' ? Number(isWide) : 2;
}

function kindOf(schema: Schema): Field['kind'] {
  const { type, format, enum: choices, items, anyOf, patternProperties, minLength, maxLength } = schema;
  const isSecret = schema.writeOnly === true;
  if (choices) return 'choice';
  if (type === 'boolean') return 'flag';
  if (patternProperties) return 'pairs';
  if (items?.enum) return 'several';
  if (items ?? anyOf?.some((one) => one.items)) return 'lines';
  // A header or footer.
  if (anyOf?.some((one) => one.properties)) return 'long';
  // A document has a minimum of one character, and a maximum in bytes, which its schema cannot say.
  if (type === 'string' && format === undefined && minLength !== undefined && maxLength === undefined)
    return isSecret ? 'text' : 'long';
  return type === 'integer' || type === 'number' ? 'number' : 'text';
}

const isText = (kind: Field['kind']): boolean => !['choice', 'flag', 'number'].includes(kind);

/** Those that fit the format of the values. */
export const fitting = (fields: Field[], values: Values): Field[] =>
  fields.filter(({ formats }) => formats?.includes(String(values['format'])) ?? true);

/** `viewport.width` → Viewport width, `delay_ms` → Delay (ms). */
function labelOf(path: string): string {
  const words = path
    .replaceAll(/[._]/g, ' ')
    .replace(/ ms$/, ' (ms)')
    .replaceAll(/\b(css|html|url)\b/g, (word) => word.toUpperCase())
    .replace('javascript', 'JavaScript');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the form says below a field: its range, or what it is for. */
export function hintOf({ kind, path, schema }: Field): string | undefined {
  const { minimum, maximum, description = '' } = schema;
  const meaning = description.replace(/\.$/, '');
  if (kind === 'lines' && path === 'wait_for')
    return 'One CSS selector a line, which must become visible; or {"expression": "…"}, which must become true';
  if (kind === 'lines') return `${meaning}; one a line`;
  if (kind === 'pairs') return 'Name: value, one a line. They go to the page’s own origin only';
  // A margin, or a side of the paper.
  if (kind === 'text' && schema.anyOf) return 'In px, or such as 10mm';
  return minimum === undefined ? meaning || undefined : `${minimum} to ${maximum}`;
}

/** For an input of text that may also be a number. */
export function patternOf({ anyOf = [], pattern }: Schema): string | undefined {
  const patterns = anyOf.map((one) => (one.type === 'number' ? String.raw`\d+(\.\d+)?` : one.pattern));
  return [...patterns, pattern].filter((one) => one !== undefined).join('|') || undefined;
}

/** People type `example.com` and mean https. */
export const withScheme = (address: string): string =>
  address === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;

/** The request body, with only the values that differ from the defaults. */
export function bodyOf(source: Body, fields: Field[], values: Values): Body {
  const body: Body = { ...source };
  for (const field of fields) {
    const value = values[field.path] ?? field.fallback;
    if (value !== field.fallback && value !== '') setValue(body, field.path, sentOf(field, value));
  }
  return body;
}

function sentOf({ kind, schema }: Field, value: Value): unknown {
  const lines = String(value)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (kind === 'several') return lines;
  if (kind === 'lines') return lines.map(memberOf);
  if (kind === 'pairs')
    return Object.fromEntries(
      lines.map((line) => {
        const [name = '', ...rest] = line.split(':');
        return [name.trim(), rest.join(':').trim()];
      }),
    );
  const isNumber = kind === 'text' && schema.anyOf && /^\d+(\.\d+)?$/.test(String(value));
  return isNumber ? Number(value) : value;
}

/** No selector and no host begins with a brace: what does is an object, or soon will be. */
function memberOf(line: string): unknown {
  if (!line.startsWith('{')) return line;
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** The reverse: the form's values for a body, such as that of an earlier render. */
export function valuesOf(body: Body, fields: Field[]): Values {
  return Object.fromEntries(
    fields.map(({ path, kind, fallback, schema }) => {
      const given = valueAt(body, path);
      // Another form may have more choices.
      if (kind === 'choice' && schema.enum?.includes(String(given)) !== true) return [path, fallback];
      if (given === undefined || given === null) return [path, fallback];
      if (kind === 'pairs')
        return [
          path,
          Object.entries(given)
            .map((pair) => pair.join(': '))
            .join('\n'),
        ];
      if (isText(kind)) return [path, textOf(given)];
      return [path, typeof given === 'object' ? fallback : (given as Value)];
    }),
  );
}

/** A list is lines; what is no text in it is JSON. */
function textOf(given: unknown): string {
  if (given === undefined || given === null) return '';
  if (Array.isArray(given)) return given.map(textOf).join('\n');
  return typeof given === 'string' ? given : JSON.stringify(given);
}
