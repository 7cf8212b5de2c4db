// The contract of links as schemas: a render request that anyone may read, and how long its result is good for. Spec 10.
import { Type, type Static } from 'typebox';
import { strict } from '#api/fields.ts';
import { maxAgeSeconds } from '#api/v2/fields/delivery.ts';
import { linkedOf, propertiesOf } from '#api/v2/fields/row.ts';
import { outputRows, pageRows } from '#api/v2/fields/rows.ts';
import { orNull, type RenderRequest } from '#api/v2/schemas.ts';

/** The length of the text in the address. */
export const payloadCharacters = 8192;

export const linkMaxAge = { min: 60, max: maxAgeSeconds, default: 86_400 };

const ownFields = {
  max_age: Type.Optional(
    Type.Integer({
      minimum: linkMaxAge.min,
      maximum: linkMaxAge.max,
      default: linkMaxAge.default,
      description: 'How long a result is served before the page is rendered again, in seconds.',
    }),
  ),
  valid_until: Type.Optional(
    orNull('string', 'When the link ends; null for never.', { format: 'date-time', default: null }),
  ),
};

const linkedOutput = propertiesOf(linkedOf(outputRows));

export const LinkRequest = Type.Object(
  {
    ...propertiesOf(linkedOf(pageRows.before)),
    ...linkedOutput,
    outputs: Type.Optional(
      Type.Array(Type.Object(linkedOutput, { ...strict, description: 'The output of a link.' }), {
        minItems: 1,
        maxItems: 1,
        description: 'The one output, instead of its fields.',
      }),
    ),
    ...propertiesOf(linkedOf(pageRows.after)),
    ...ownFields,
  },
  { ...strict, description: 'A render request that anyone may read, for a link.' },
);
export type LinkRequest = RenderRequest & { valid_until?: string | null };

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
