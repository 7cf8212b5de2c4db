// Checks an assistant's input against the tool's schema. An ignored field would do harm: expires_in as a string would keep a picture
// for ever.
import { TintypeError } from '../../library/src/errors.ts';
import type { Schema } from '../../shared/src/fields.ts';

/** Throws a validation_error that names the first wrong field. Patterns are left to the API, which has its own messages for them. */
export function checkInput(schema: Schema, input: Record<string, unknown>): void {
  const complaint = complaintAbout(schema, input, '');
  if (complaint !== undefined) throw new TintypeError('validation_error', complaint);
}

function complaintAbout(schema: Schema, value: unknown, field: string): string | undefined {
  if (schema.anyOf) return complaintAboutChoice(schema.anyOf, value, field);
  if (schema.type !== undefined && !isOfType(schema.type, value)) {
    return `${field || 'arguments'}: must be ${article(schema.type)}, not ${shown(value)}.`;
  }
  if (schema.enum && !schema.enum.includes(value as string)) {
    return `${field}: must be one of ${schema.enum.join(', ')}, not ${shown(value)}.`;
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    if (value < minimum || value > maximum)
      return `${field}: must be from ${minimum} to ${maximum}, not ${value}.`;
  }
  if (typeof value === 'string' && value.length > (schema.maxLength ?? Infinity)) {
    return `${field}: must have at most ${schema.maxLength} characters.`;
  }
  if (Array.isArray(value)) return complaintAboutItems(schema, value, field);
  return schema.type === 'object' ? complaintAboutFields(schema, value as object, field) : undefined;
}

function complaintAboutFields(schema: Schema, value: object, field: string): string | undefined {
  const { properties = {}, required = [] } = schema;
  const path = (name: string): string => (field === '' ? name : `${field}.${name}`);
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${path(missing)}: is missing.`;
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!known)
      return `${path(name)}: is not a field here; the fields are ${Object.keys(properties).join(', ')}.`;
    const complaint = complaintAbout(known, inner, path(name));
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

function complaintAboutItems(schema: Schema, value: unknown[], field: string): string | undefined {
  if (value.length > (schema.maxItems ?? Infinity))
    return `${field}: must have at most ${schema.maxItems} items.`;
  if (value.length < (schema.minItems ?? 0))
    return `${field}: must have at least ${schema.minItems} item${schema.minItems === 1 ? '' : 's'}.`;
  const complaints = value.map((item, index) =>
    complaintAbout(schema.items ?? {}, item, `${field}[${index}]`),
  );
  return complaints.find((complaint) => complaint !== undefined);
}

/** A message about the choice with the value's type says more than "none of them". */
function complaintAboutChoice(choices: readonly Schema[], value: unknown, field: string): string | undefined {
  const ofType = choices.filter(({ type }) => type === undefined || isOfType(type, value));
  const complaints = ofType.map((choice) => complaintAbout(choice, value, field));
  if (ofType.length > 0) return complaints.includes(undefined) ? undefined : complaints[0];
  const types = choices.map(({ type = 'value' }) => article(type)).join(' or ');
  return `${field}: must be ${types}, not ${shown(value)}.`;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'array') return Array.isArray(value);
  return typeof value === type;
}

const articles: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};
const article = (type: string): string => articles[type] ?? type;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
