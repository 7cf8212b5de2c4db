// Bodies, parameters and responses as OpenAPI writes them, each with its examples.
import type { TSchema } from 'typebox';
import { answers, requests } from '#http/openapi/examples.ts';
import { budgetHeaders, headerRefs, quotaHeaders, type Json } from '#http/openapi/headers.ts';

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

/** The body of a request: fields of a form, or a schema by name. */
export function requestBody(operationId: keyof typeof requests, body: string | Json): Json {
  const examples = requests[operationId];
  if (typeof body === 'string') return { required: true, content: json(body, examples) };
  const schema = { type: 'object', required: ['file'], additionalProperties: false, properties: body };
  return { required: true, content: { 'multipart/form-data': { schema, examples: valuesOf(examples) } } };
}

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

/** Removes the symbols that the schema library adds. */
export const plain = (schema: TSchema): Json => JSON.parse(JSON.stringify(schema)) as Json;
