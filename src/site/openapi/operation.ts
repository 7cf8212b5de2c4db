// An operation of the OpenAPI documents, and how it is written. What api/contract.ts says of an endpoint is not said again here: its
// version, whether it needs a key, and whether it costs a unit.
import type { TSchema } from 'typebox';
import { errorCodesOf, errorTable, type ErrorCode, type ErrorPlace, type Version } from '#core/errors.ts';
import { endpoints, methodAndPath, type Endpoint } from '#api/contract.ts';
import { parametersOf } from '#site/openapi/content.ts';
import type { createErrorResponses } from '#site/openapi/error-responses.ts';
import type { Json } from '#site/openapi/headers.ts';

export interface Operation {
  id: string;
  tag: string;
  summary: string;
  description: string;
  /** What stands in its path and its headers. */
  parameters?: Json[];
  query?: TSchema;
  requestBody?: Json;
  responses: Record<number, Json>;
  /** Where its errors can occur, beside those of every operation. */
  places?: ErrorPlace[];
  /** All of its errors, if they are not those of these places. */
  codes?: ErrorCode[];
}

/** The codes of a version that can occur at these places. */
export const errorsAt = (version: Version, ...places: ErrorPlace[]): ErrorCode[] =>
  places.flatMap((place) => errorCodesOf(version).filter((code) => errorTable[code].where === place));

export function pathsOf(
  version: Version,
  operations: Record<string, Operation>,
  errors: ReturnType<typeof createErrorResponses>,
): Json {
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [method, path] = methodAndPath(name);
    const written = write(version, name, operation, errors);
    (paths[path.replaceAll(/:(\w+)/g, '{$1}')] ??= {})[method.toLowerCase()] = written;
  }
  return paths;
}

function write(
  version: Version,
  name: string,
  operation: Operation,
  errors: ReturnType<typeof createErrorResponses>,
): Json {
  const { id, tag, summary, description, parameters = [], query, requestBody, responses } = operation;
  const endpoint = (endpoints as Partial<Record<string, Endpoint>>)[name];
  const { places = [], codes = errorsAt(version, 'everywhere', ...ofItems(version, name), ...places) } =
    operation;
  const isFree = version === 2 && (endpoint?.kind === 'read' || endpoint?.kind === 'change');
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: isFree ? `${description} Costs one request and no unit.` : description,
    ...(!endpoint && { security: [] }),
    parameters: [...parameters, ...(query ? parametersOf(query) : [])],
    ...(requestBody && { requestBody }),
    responses: { ...responses, ...errors.forCodes(codes, places.includes('batch')) },
  };
}

/** In version 2, whose paths name what may not be there. */
const ofItems = (version: Version, name: string): ErrorPlace[] =>
  version === 2 && name.includes(':') ? ['elsewhere'] : [];
