// What the documents of both versions say.
import type { TSchema } from 'typebox';
import { errorCodesOf, errorTable, type ErrorCode, type ErrorPlace, type Version } from '#core/errors.ts';
import { parametersOf } from '#http/openapi/content.ts';
import type { Json } from '#http/openapi/headers.ts';

/** Whom to write to is for each operator to say; the start page of the installation is where to find it. */
export const operatorOf = (baseUrl: string) => ({
  contact: {
    name: 'The operator of this installation',
    url: URL.canParse(baseUrl) ? baseUrl : 'http://localhost:3000',
  },
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
});

export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the account, which begins with tt_.',
  },
};

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeat with the same key within 24 hours replays the stored answer and is not metered again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '5f0c2a4e9b',
};

/** The codes of a version that can occur at these places. */
export const errorsAt = (version: Version, ...places: ErrorPlace[]): ErrorCode[] =>
  places.flatMap((place) => errorCodesOf(version).filter((code) => errorTable[code].where === place));

export const pathParameter = (name: string, description: string, example: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** An operation that is not metered. */
export const describedAs =
  (tag: string) =>
  (operationId: string, summary: string, what: string, query?: TSchema, parameters: Json[] = []): Json => ({
    operationId,
    tags: [tag],
    summary,
    description: `${what} Costs one request and no unit.`,
    parameters: [...parameters, ...(query ? parametersOf(query) : [])],
  });
