// The contract of links as schemas: a render request that anyone may read, and how long its result is good for. Spec 10.
import { Type, type Static, type TProperties, type TSchema } from 'typebox';
import { strict } from '#http/api/fields.ts';
import { outputFields } from '#http/api/v2/output-fields.ts';
import { orNull, RenderRequest, maxAgeSeconds } from '#http/api/v2/schemas.ts';

/** Of the text in the address. */
export const payloadCharacters = 8192;

/** A link is public and answers with a file: what delivers otherwise, and what runs code of the request, is not for it. */
const unlinked = ['script', 'webhook_url', 'put_url', 'async', 'response', 'expires_in'];

const linked = (fields: TProperties): TProperties =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, field]) => !unlinked.includes(name) && (field as { writeOnly?: boolean }).writeOnly !== true,
    ),
  );

export const linkMaxAge = { min: 60, max: maxAgeSeconds, default: 86_400 };

const ownFields = {
  max_age: Type.Optional(
    Type.Integer({
      minimum: linkMaxAge.min,
      maximum: linkMaxAge.max,
      default: linkMaxAge.default,
      description: 'Seconds for which a result is served before the page is rendered again.',
    }),
  ),
  valid_until: Type.Optional(
    orNull('string', 'When the link ends; null for never.', { format: 'date-time', default: null }),
  ),
};

type LinkRequestFields = Omit<
  RenderRequest,
  'headers' | 'cookies' | 'basic_auth' | 'script' | 'response' | 'expires_in' | 'max_age' | 'outputs'
> & { outputs?: [Record<string, unknown>]; max_age?: number; valid_until?: string | null };

export const LinkRequest = Type.Object(
  {
    ...linked(RenderRequest.properties),
    outputs: Type.Optional(
      Type.Array(Type.Object(linked(outputFields), { ...strict, description: 'The output of a link.' }), {
        minItems: 1,
        maxItems: 1,
        description: 'The one output, instead of its fields.',
      }),
    ),
    ...ownFields,
  },
  { ...strict, description: 'A render request that anyone may read, for a link.' },
);
export type LinkRequest = LinkRequestFields;

/** The fields of a render request that a link does not have. */
export const unlinkedFields: string[] = Object.keys(
  RenderRequest.properties as Record<string, TSchema>,
).filter((name) => !Object.hasOwn(LinkRequest.properties, name));

export const Link = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      description: 'Answers GET and HEAD with the result, without a key, until its link key is revoked.',
    }),
  },
  { ...strict, description: 'A signed link.' },
);
export type Link = Static<typeof Link>;
