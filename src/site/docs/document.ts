// The OpenAPI document as the reference page reads it.

export interface Schema {
  type?: string;
  enum?: string[];
  format?: string;
  contentMediaType?: string;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  description?: string;
}

interface Media {
  schema: Schema;
  /** Every JSON body has one. */
  examples: Record<string, { summary: string; value: Record<string, unknown> }>;
}

export interface Response {
  description: string;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  /** What stands in the path and in the query. */
  parameters?: { name: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  /** Empty if it needs no key. */
  security?: object[];
  responses: Record<string, Response>;
}

export interface OpenapiDocument {
  info: { title: string; version: string; description: string };
  paths: Record<string, { get?: Operation; post?: Operation; patch?: Operation; delete?: Operation }>;
}

/** Follows `$ref` inside the document. */
export function follow<T extends object>(document: OpenapiDocument, given: T): T {
  const reference = (given as { $ref?: string }).$ref;
  if (reference === undefined) return given;
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], document);
  if (found === undefined) throw new Error(`the OpenAPI document has no ${reference}`);
  return found as T;
}

/** More than these are for the document itself. */
const shownChoices = 20;

/** A field's type in a word or two, with its range. */
export function typeOf(schema: Schema): string {
  const { type = 'object', enum: choices, anyOf, items, minimum, maximum, maxItems } = schema;
  if (choices && choices.length > shownChoices) return `one of ${choices.length} names`;
  if (choices) return choices.join(' | ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `${typeOf(items)}, repeated${maxItems === undefined ? '' : `, at most ${maxItems}`}`;
  if (schema.contentMediaType !== undefined) return 'file';
  if (schema.format === 'date-time') return 'date and time';
  const isRange = minimum !== undefined && maximum !== undefined;
  return isRange ? `${type}, ${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}` : type;
}
