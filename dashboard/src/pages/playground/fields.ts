// The fields of the render requests as the forms show, check and send them; the schemas say everything about them.
import { fieldsOf, omit, setValue, valueAt, type ObjectSchema, type Schema } from '#shared/fields.ts';

type Value = string | number | boolean;
export type Values = Record<string, Value>;

export interface Field {
  /** The name in the request body; a dot leads into a nested object, as in `margin.top`. */
  path: string;
  label: string;
  kind: 'choice' | 'number' | 'text' | 'flag';
  fallback: Value;
  schema: Schema;
  /** Spans the whole row. */
  isWide: boolean;
}

/** Choices, single values, those of nested objects, flags: so pairs stand side by side. */
export function formFields(request: ObjectSchema): Field[] {
  const rank = ({ path, kind, isWide }: Field): number =>
    kind === 'flag' ? 4 : kind === 'choice' ? Number(isWide) : path.includes('.') ? 3 : 2;
  return fieldsOf(omit(request, 'url'))
    .map(({ path, schema }): Field => {
      const kind = kindOf(schema);
      const given = (schema.default ?? '') as Value;
      return {
        path,
        schema,
        kind,
        label: labelOf(path),
        fallback: kind === 'text' ? String(given) : given,
        isWide: schema.enum?.some(({ length }) => length > 12) === true,
      };
    })
    .toSorted((a, b) => rank(a) - rank(b));
}

function kindOf({ type, enum: choices }: Schema): Field['kind'] {
  if (choices) return 'choice';
  if (type === 'boolean') return 'flag';
  return type === 'integer' || type === 'number' ? 'number' : 'text';
}

/** `viewport.width` → Viewport width, `delay_ms` → Delay (ms). */
function labelOf(path: string): string {
  const words = path.replaceAll(/[._]/g, ' ').replace(/ ms$/, ' (ms)').replace(' css ', ' CSS ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the form says below a field: its range, or what it is for. */
export function hintOf({ kind, schema: { minimum, maximum, description } }: Field): string | undefined {
  if (kind === 'text') return undefined;
  return minimum === undefined ? description?.replace(/\.$/, '') : `${minimum} to ${maximum}`;
}

/** For an input of text that may also be a number. */
export function patternOf({ anyOf = [], pattern }: Schema): string | undefined {
  const patterns = anyOf.map((one) => (one.type === 'number' ? String.raw`\d+(\.\d+)?` : one.pattern));
  return [...patterns, pattern].filter((one) => one !== undefined).join('|') || undefined;
}

/** The request body, with only the values that differ from the defaults. */
export function bodyOf(url: string, fields: Field[], values: Values): Record<string, unknown> {
  const body: Record<string, unknown> = { url };
  for (const { path, kind, fallback, schema } of fields) {
    const value = values[path] ?? fallback;
    if (value === fallback || value === '') continue;
    const isNumber = kind === 'text' && schema.anyOf && /^\d+(\.\d+)?$/.test(String(value));
    setValue(body, path, isNumber ? Number(value) : value);
  }
  return body;
}

/** The reverse: the form's values for a body, such as that of an earlier render. */
export function valuesOf(body: Record<string, unknown>, fields: Field[]): Values {
  return Object.fromEntries(
    fields.map(({ path, kind, fallback }) => {
      const given = valueAt(body, path);
      const isValue = typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean';
      return [path, !isValue ? fallback : kind === 'text' ? String(given) : given];
    }),
  );
}
