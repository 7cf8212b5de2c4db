// Bodies, parameters and responses as OpenAPI writes them, each with its examples.
import type { TSchema } from 'typebox';
import { answers, requests } from '#http/openapi/examples.ts';
import { budgetHeaders, headerRefs, quotaHeaders } from '#http/openapi/headers.ts';

export type Json = Record<string, unknown>;

/** The headers of a response that was metered. */
export const metered = [...budgetHeaders, ...quotaHeaders, 'Idempotent-Replayed'];

export function answer(
  description: string,
  schema: string,
  names: string[],
  examples: Record<string, object>,
): Json {
  return {
    description,
    headers: headerRefs(names),
    content: { 'application/json': { schema: reference(schema), examples: valuesOf(examples) } },
  };
}

export function bytesOr(
  types: string[],
  metadata: 'ScreenshotMetadata' | 'PdfMetadata',
  description: string,
): Json {
  const bytes = types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }] as const);
  return {
    description,
    headers: headerRefs([...metered, 'x-service-id', 'x-service-duration-ms', 'Server-Timing']),
    content: {
      ...Object.fromEntries(bytes),
      'application/json': { schema: reference(metadata), examples: valuesOf({ hosted: answers[metadata] }) },
    },
  };
}

export function form(operationId: string, properties: Json): Json {
  const schema = { type: 'object', required: ['file'], additionalProperties: false, properties };
  const examples = valuesOf(requests[operationId] ?? {});
  return { required: true, content: { 'multipart/form-data': { schema, examples } } };
}

export function json(operationId: string, schema: string): Json {
  const examples = valuesOf(requests[operationId] ?? {});
  return { required: true, content: { 'application/json': { schema: reference(schema), examples } } };
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
const valuesOf = (examples: Record<string, object>): Json =>
  Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name.replaceAll(' ', '-'), { summary: name, value }]),
  );

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Removes the symbols that the schema library adds. */
export const plain = (schema: TSchema): Json => JSON.parse(JSON.stringify(schema)) as Json;
