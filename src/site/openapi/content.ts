// Bodies, parameters and responses as OpenAPI writes them, each with its examples.
import type { TSchema } from 'typebox';
import { answers } from '#site/openapi/examples.ts';
import { budgetHeaders, headerRefs, quotaHeaders, type Json } from '#site/openapi/headers.ts';

/** The headers of a response that was metered. */
export const metered = [...budgetHeaders, ...quotaHeaders, 'Idempotent-Replayed'];

/** What a screenshot can be. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp'];

/** A JSON body; `schema` is one of the components by name, or its own. */
export const json = (schema: string | Json, examples: Record<string, object>): Json => ({
  'application/json': {
    schema: typeof schema === 'string' ? reference(schema) : schema,
    examples: valuesOf(examples),
  },
});

export const answer = (description: string, names: string[], content: Json): Json => ({
  description,
  headers: headerRefs(names),
  content,
});

export const bytes = (types: string[]): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]));

export const bytesOr = (
  types: string[],
  metadata: 'ScreenshotMetadata' | 'PdfMetadata',
  description: string,
): Json =>
  answer(description, [...metered, 'x-service-id', 'x-service-duration-ms', 'Server-Timing'], {
    ...bytes(types),
    ...json(metadata, { hosted: answers[metadata] }),
  });

export const pageOf = (schema: string, example: object): Json =>
  answer('A page of the list.', budgetHeaders, json(schema, { list: example }));

export const jsonBody = (schema: string, examples: Record<string, object>): Json => ({
  required: true,
  content: json(schema, examples),
});

export const fileOf = (description: string): Json => ({
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description,
});

/** A form with these fields, one of which is the file. */
export function formBody(properties: Json, examples: Record<string, object>): Json {
  const schema = { type: 'object', required: ['file'], additionalProperties: false, properties };
  return { required: true, content: { 'multipart/form-data': { schema, examples: valuesOf(examples) } } };
}

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeat with the same key within 24 hours replays the stored answer and is not metered again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '5f0c2a4e9b',
};

export const pathParameter = (name: string, description: string, example: string): Json =>
  parameter(name, 'path', description, example);

export const parameter = (
  name: string,
  place: 'path' | 'query',
  description: string,
  example: string,
): Json => ({ name, in: place, required: true, description, schema: { type: 'string' }, example });

/** The fields of a query, each as a parameter. */
export function parametersOf(query: TSchema): Json[] {
  const { properties } = plain(query) as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** The name of an example is its summary. */
export const valuesOf = (examples: Record<string, object>): Json =>
  Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name.replaceAll(' ', '-'), { summary: name, value }]),
  );

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Without the symbols that the schema library adds, and without our own keywords, which the document of version 1 does not have. */
export const plain = (schema: TSchema): Json =>
  JSON.parse(
    JSON.stringify(schema, (name, value: unknown) => (name.startsWith('x-') ? undefined : value)),
  ) as Json;
