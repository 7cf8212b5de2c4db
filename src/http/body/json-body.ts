// Reads and validates a JSON body. No coercion; the message names the field, the rule and the value sent.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { invalid, type ServiceError } from '#core/errors.ts';
import { hintFor } from '#http/body/field-hint.ts';
import { receiveBody, requireType } from '#http/body/receive-body.ts';

const maxBytes = 64 * 1024;

/** A body in which every field with a default is set. */
type Filled<T> = {
  [Name in keyof T]-?: T[Name] extends object | undefined
    ? Filled<NonNullable<T[Name]>>
    : NonNullable<T[Name]>;
};

/** The body with the schema's defaults filled in. */
export async function readJsonBody<T extends TObject>(
  request: IncomingMessage,
  schema: T,
): Promise<Filled<Static<T>>> {
  requireType(
    request,
    'application/json',
    (given) => `must be application/json, not ${given}; set the Content-Type header`,
  );
  return validate(schema, parse(await readAll(request))) as Filled<Static<T>>;
}

/** The value with defaults filled in; throws for the first field that breaks its rule. */
export function validate<T extends TObject>(schema: T, value: unknown): Static<T> {
  const mistake = firstMistake(schema, value, '');
  if (mistake) throw mistake;
  return withDefaults(schema, value as Record<string, unknown>) as Static<T>;
}

function withDefaults(schema: TObject, value: Record<string, unknown>): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : (property as { default?: unknown }).default;
    if (given === undefined) continue;
    filled[name] =
      'properties' in property ? withDefaults(property as TObject, given as Record<string, unknown>) : given;
  }
  return filled;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await receiveBody(request, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw invalid('body', `larger than ${maxBytes} bytes`);
    chunks.push(chunk);
    return [];
  }).ended;
  const body = Buffer.concat(chunks);
  if (!isUtf8(body)) throw invalid('body', 'malformed JSON (not valid UTF-8)');
  return body.toString('utf8');
}

function parse(text: string): unknown {
  if (text.trim() === '') throw invalid('body', 'empty; send a JSON object');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalid('body', `malformed JSON (${(error as Error).message.slice(0, 120)})`);
  }
}

function firstMistake(schema: TObject, value: unknown, path: string): ServiceError | undefined {
  if (!isPlainObject(value))
    return invalid(path.slice(0, -1) || 'body', `must be a JSON object, not ${shown(value)}`);
  const properties: Record<string, TSchema> = schema.properties;
  const names = Object.keys(properties);
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name)) {
      return invalid(path + name.slice(0, 60), `unknown field; ${hintFor(name, names, path)}`);
    }
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) return invalid(path + name, 'missing');
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const given = value[name];
    if ('properties' in property) {
      const mistake = firstMistake(property as TObject, given, `${path}${name}.`);
      if (mistake) return mistake;
    } else if (!Check(property, given)) {
      const isSecret = /password|token/.test(name);
      return invalid(path + name, `must be ${ruleOf(property)}${isSecret ? '' : `, not ${shown(given)}`}`);
    } else if (hasNul(given)) {
      return invalid(path + name, 'contains the character U+0000, which cannot be stored');
    }
  }
  return undefined;
}

/** Postgres refuses U+0000 in text. Called only for values that match their schema, so they are not deeply nested. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNul);
}

interface Rule {
  type?: string;
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  description?: string;
}

function ruleOf(schema: TSchema): string {
  const {
    type,
    format,
    enum: choices,
    minimum,
    maximum,
    minLength,
    maxLength,
    description = '',
  } = schema as Rule;
  if (choices) return `one of ${choices.join(', ')}`;
  if (minimum !== undefined && maximum !== undefined) {
    return `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`;
  }
  if (type === 'boolean') return 'true or false';
  if (type === 'string' && minLength !== undefined && maxLength !== undefined) {
    return `a string of ${minLength} to ${maxLength} characters`;
  }
  if (format === 'uri') return 'an absolute URI, as a string';
  if (type === 'string') return 'a string';
  // The description of a union lists the allowed values after a colon.
  return description.slice(description.indexOf(': ') + 2).replace(/\.$/, '');
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
