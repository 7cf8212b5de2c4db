// The OpenAPI document as the reference page reads it: references resolved, examples found or made from the schema.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  contentMediaType?: string;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  description?: string;
  example?: unknown;
  examples?: unknown[];
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown }>;
}

export interface Header {
  description?: string;
  schema?: Schema;
}

export interface Response {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  requestBody: { content: Record<string, Media> };
  responses: Record<string, Response>;
}

export interface OpenapiDocument {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
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
  return follow(document, found as T);
}

/** The examples of a body, each with its name; one made from the schema if there is none. */
export function examplesOf(document: OpenapiDocument, media: Media): [name: string, value: unknown][] {
  const named = Object.entries(media.examples ?? {}).map(([name, given]): [string, unknown] => {
    const example = follow(document, given);
    return [example.summary ?? name, example.value];
  });
  if (named.length > 0) return named;
  if (media.example !== undefined) return [['Example', media.example]];
  return media.schema ? [['Example', exampleFrom(document, media.schema, '')]] : [];
}

/** For fields whose meaning is narrower than their type. */
const known: Record<string, unknown> = {
  id: 'k3J9vQx2LmT7bR4sYw8Z',
  slug: 'h7Kp2mXq9T',
  url: 'https://example.com/i/h7Kp2mXq9T',
  file_url: 'https://example.com/f/h7Kp2mXq9T',
  delete_url: 'https://example.com/api/uploads/k3J9vQx2LmT7bR4sYw8Z/delete?token=…',
  expires_at: '2026-12-31T12:00:00.000Z',
  filename: 'photo.png',
  source_filename: 'photo.png',
  content_type: 'image/png',
  size_bytes: 48_213,
  duration_ms: 812,
  code: 'validation_error',
  message: 'url: must be an absolute http(s) address',
};

function exampleFrom(document: OpenapiDocument, given: Schema, name: string): unknown {
  const schema = follow(document, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (name in known) return known[name];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (first) return exampleFrom(document, first, name);
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, property]) => [key, exampleFrom(document, property, key)]),
    );
  if (schema.items) return [exampleFrom(document, schema.items, name)];
  switch (schema.type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return '…';
  }
}

/** A field's type in a word or two, with its range. */
export function typeOf(document: OpenapiDocument, given: Schema): string {
  const schema = follow(document, given);
  const { type, enum: choices, items, minimum, maximum, contentMediaType } = schema;
  const either = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(String).join(' | ');
  if (either) return either.map((one) => typeOf(document, one)).join(' or ');
  if (items) {
    const most = schema.maxItems === undefined ? '' : `, at most ${schema.maxItems}`;
    return follow(document, items).contentMediaType === undefined
      ? `list of ${typeOf(document, items)}`
      : `file, repeated${most}`;
  }
  if (contentMediaType !== undefined) return 'file';
  if (schema.format === 'date-time') return 'date and time';
  const range =
    minimum !== undefined && maximum !== undefined
      ? `, ${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`
      : '';
  return `${Array.isArray(type) ? type.join(' or ') : (type ?? 'object')}${range}`;
}
