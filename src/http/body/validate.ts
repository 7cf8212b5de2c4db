// Validates a value against its schema. No coercion; the message names the field, the rule and the value sent, except for what is
// secret.
import type { Static, TObject, TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { invalid, ServiceError } from '#core/errors.ts';
import { expected, maxBytes } from '#core/keywords.ts';
import { hintFor, nearest } from '#http/body/field-hint.ts';

/** The value with defaults filled in; throws for the first field that breaks its rule, with the other mistakes in its details. */
export function validate<T extends TObject>(schema: T, value: unknown): Static<T> {
  return filled(schema, validateGiven(schema, value)) as Static<T>;
}

/** The value as it is: what was left out stays out. */
export function validateGiven<T extends TObject>(schema: T, value: unknown): Static<T> {
  const [first, ...others] = mistakesIn(schema, value, '', false);
  if (!first) return value as Static<T>;
  throw new ServiceError(first.code, first.complaint, {
    details: { ...first.details, others: others.slice(0, shownMistakes - 1).map(({ message }) => message) },
  });
}

/** A valid value with the defaults of this schema. */
function filled(schema: TObject, value: Record<string, unknown>): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : (property as { default?: unknown }).default;
    if (given === undefined) continue;
    whole[name] =
      'properties' in property ? filled(property as TObject, given as Record<string, unknown>) : given;
  }
  return whole;
}

/** More would not be read. */
const shownMistakes = 10;

/** What `mistakesIn` reads of a schema. */
interface Rule {
  type?: string;
  format?: string;
  enum?: string[];
  anyOf?: TSchema[];
  items?: TSchema;
  properties?: Record<string, TSchema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  [expected]?: string | undefined;
  /** A secret, which no message repeats. */
  writeOnly?: boolean;
  [maxBytes]?: number;
}

function mistakesIn(schema: TSchema, value: unknown, path: string, isWithinSecret: boolean): ServiceError[] {
  const rule = branchFor(schema, value);
  const isSecret =
    isWithinSecret ||
    (schema as Rule).writeOnly === true ||
    // A document or a script.
    rule[maxBytes] !== undefined ||
    /password|token/.test(path.slice(path.lastIndexOf('.') + 1));
  const refuse = (wanted = ruleOf(rule)): ServiceError =>
    invalid(
      path || 'body',
      `must be ${wanted}${isSecret ? '' : `, not ${shown(value)}${meantBy(rule, value)}`}`,
    );
  if (rule.properties)
    return isPlainObject(value) ? mistakesInFields(rule, value, path, isSecret) : [refuse('a JSON object')];
  if (rule.items) return Array.isArray(value) ? mistakesInItems(rule, value, path, isSecret) : [refuse()];
  if (!Check(rule as TSchema, value)) return [refuse()];
  if (hasNul(value)) return [invalid(path, 'contains the character U+0000, which cannot be stored')];
  const limit = rule[maxBytes];
  const sizeBytes = limit === undefined ? 0 : Buffer.byteLength(value as string);
  if (limit !== undefined && sizeBytes > limit)
    return [
      invalid(
        path,
        `must be ${rule.minLength ?? 0} to ${limit} bytes of UTF-8, not ${sizeBytes}; shorten it`,
      ),
    ];
  return [];
}

function mistakesInFields(
  { properties = {}, required = [] }: Rule,
  value: Record<string, unknown>,
  path: string,
  isSecret: boolean,
): ServiceError[] {
  const prefix = path === '' ? '' : `${path}.`;
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, shownMistakes)
    .map((name) =>
      invalid(prefix + name.slice(0, 60), `unknown field; ${hintFor(name, properties, prefix)}`),
    );
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => invalid(prefix + name, 'missing'));
  const wrong = Object.entries(properties).flatMap(([name, property]) =>
    Object.hasOwn(value, name) ? mistakesIn(property, value[name], prefix + name, isSecret) : [],
  );
  return [...unknown, ...missing, ...wrong];
}

function mistakesInItems(rule: Rule, value: unknown[], path: string, isSecret: boolean): ServiceError[] {
  const { items, minItems = 0, maxItems = Infinity } = rule;
  if (value.length < minItems || value.length > maxItems)
    return [invalid(path, `must be ${ruleOf(rule)}, not ${value.length}`)];
  return value.flatMap((item, index) => mistakesIn(items!, item, `${path}[${index}]`, isSecret));
}

/**
 * The branch of a union that is meant: the one of the value's kind and, among objects, the one with most of its fields. The union
 * itself, which says what is expected, if there is none.
 */
function branchFor(rule: Rule, value: unknown): Rule {
  const branches = (rule.anyOf ?? []) as Rule[];
  if (Array.isArray(value)) {
    const list = branches.find(({ items }) => items);
    return list ? { [expected]: rule[expected], ...list } : rule;
  }
  if (typeof value === 'string')
    return branches.find((branch) => branch[maxBytes] !== undefined || branch.enum) ?? rule;
  if (!isPlainObject(value)) return rule;
  const known = ({ properties = {} }: Rule): number =>
    Object.keys(value).filter((name) => Object.hasOwn(properties, name)).length;
  const [meant] = branches
    .filter(({ properties }) => properties)
    .toSorted((left, right) => known(right) - known(left));
  return meant ?? rule;
}

/** Postgres refuses U+0000 in text. Called only for values that match their schema, so they are not deeply nested. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNul);
}

/** So many choices are a table of the document, not a sentence. */
const shownChoices = 20;

function ruleOf(rule: Rule): string {
  const { type, format, enum: choices, minimum, maximum, minLength, maxLength } = rule;
  if (choices)
    return choices.length > shownChoices
      ? 'a name of the list in the OpenAPI document'
      : `one of ${choices.join(', ')}`;
  if (minimum !== undefined && maximum !== undefined) {
    return `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`;
  }
  if (type === 'boolean') return 'true or false';
  if (rule[maxBytes] !== undefined) return `a string of ${minLength ?? 0} to ${rule[maxBytes]} bytes`;
  if (type === 'string' && minLength !== undefined && maxLength !== undefined) {
    return `a string of ${minLength} to ${maxLength} characters`;
  }
  if (format === 'uri') return 'an absolute URI, as a string';
  if (format === 'date-time') return 'a date and time such as 2026-01-31T09:00:00Z';
  if (rule[expected] !== undefined) return rule[expected];
  if (type === 'string') return 'a string';
  if (rule.anyOf) return rule.anyOf.map((branch) => ruleOf(branch as Rule)).join(', or ');
  if (type === 'null') return 'null';
  if (type === 'object') return `a JSON object of at most ${rule.maxProperties} texts`;
  const { minItems = 0, maxItems } = rule;
  return `an array${maxItems === undefined ? '' : ` of ${minItems} to ${maxItems} items`}`;
}

function meantBy({ enum: choices = [] }: Rule, value: unknown): string {
  if (typeof value !== 'string') return '';
  const meant = nearest(value, choices);
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
