// The contract of version 2 as schemas: the types, the validation, the OpenAPI document and what the clients know of a field come from
// them. The fields of a request are rows (fields/). Spec 10.
import { Type, type Static } from 'typebox';
import { limits } from '#core/limits.ts';
import { errorCodesOf } from '#core/errors.ts';
import { renderStates } from '#storage/schema.ts';
import { maxWarnings, warningCodes } from '#browser/browser.ts';
import { failureReasons } from '#renders/stored-render.ts';
import { choice, optional, strict, type saying, text, integer } from '#api/fields.ts';
import { createdBetween } from '#api/v2/created-between.ts';
import { formats, propertiesOf } from '#api/v2/fields/row.ts';
import { outputRows, pageRows } from '#api/v2/fields/rows.ts';

export const orNull = <T extends 'string' | 'integer'>(
  type: T,
  means: string | ReturnType<typeof saying>,
  options: object = {},
) =>
  Type.Unsafe<(T extends 'string' ? string : number) | null>({
    anyOf: [{ type, ...options }, { type: 'null' }],
    ...(typeof means === 'string' ? { description: means } : means),
  });
const time = { format: 'date-time' };

export const OutputOptions = Type.Object(propertiesOf(outputRows), {
  ...strict,
  description: 'One output of a render.',
});
export type OutputOptions = Static<typeof OutputOptions>;

export const RenderRequest = Type.Object(
  {
    ...propertiesOf(pageRows.before),
    ...OutputOptions.properties,
    outputs: Type.Optional(
      Type.Array(OutputOptions, {
        minItems: 1,
        maxItems: limits.outputsPerRender,
        description: 'Several outputs of one load of the page, instead of the fields of one.',
      }),
    ),
    ...propertiesOf(pageRows.after),
  },
  strict,
);
export type RenderRequest = Static<typeof RenderRequest>;

const Warning = Type.Object(
  {
    code: choice(warningCodes, { description: 'What happened.' }),
    message: Type.String({ description: 'The same for people.' }),
    url: orNull('string', 'The address that it is about, without its query string.'),
  },
  strict,
);

const errorFields = {
  code: choice(errorCodesOf(2), { description: 'A stable machine-readable value.' }),
  message: Type.String({ description: 'For people: the field, the reason, and what to do.' }),
  field: Type.Optional(Type.String({ description: 'The field of the request that it is about.' })),
  reason: Type.Optional(
    choice(Object.keys(failureReasons), { description: 'Why a render failed; with render_failed.' }),
  ),
  warnings: Type.Optional(
    Type.Array(Warning, {
      maxItems: maxWarnings,
      description: 'What is not as it should be; of a failure that fail_on asked for.',
    }),
  ),
  retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
};

export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      { ...errorFields, request_id: Type.String({ description: 'The x-request-id of the response.' }) },
      strict,
    ),
  },
  { ...strict, description: 'Every error has this shape.' },
);

const ms = (description: string) => orNull('integer', description);

const Box = Type.Object(
  {
    x: Type.Integer({ description: 'The left edge, in pixels of the picture.' }),
    y: Type.Integer({ description: 'The top edge, in pixels of the picture.' }),
    width: Type.Integer({ description: 'The width, in pixels of the picture.' }),
    height: Type.Integer({ description: 'The height, in pixels of the picture.' }),
  },
  strict,
);
type Box = Static<typeof Box>;

export const Output = Type.Object(
  {
    format: choice(formats, { description: 'The format asked for.' }),
    url: orNull('string', 'Where it is hosted; null if it is not.', { format: 'uri' }),
    content_type: Type.String({ description: 'The type of its bytes.' }),
    width: orNull('integer', 'Of a picture, in its own pixels.'),
    height: orNull('integer', 'Of a picture, in its own pixels.'),
    pages: orNull('integer', 'Of a PDF.'),
    size_bytes: Type.Integer({ description: 'Its size in bytes.' }),
    sha256: orNull('string', 'The SHA-256 of its bytes, in hex; null for some old renders.'),
    truncated: Type.Boolean({ description: 'Whether something was cut off; the warnings say what.' }),
    difference: Type.Unsafe<number | null>({
      anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { type: 'null' }],
      description: 'With compare_to: the share of the pixels that has changed, from 0 to 1.',
    }),
    changed_box: Type.Unsafe<Box | null>({
      anyOf: [Box, { type: 'null' }],
      description: 'With compare_to: the box around all changes; null if there are none.',
    }),
    text: orNull('string', 'Of an html, mhtml, text or markdown of at most 1 MB. Null in lists.'),
    data: Type.Unsafe<Record<string, unknown> | null>({
      anyOf: [{ type: 'object' }, { type: 'null' }],
      description: 'The metadata or the accessibility tree itself, if it has at most 1 MB. Null in lists.',
    }),
  },
  strict,
);

export type Output = Static<typeof Output>;

export const Render = Type.Object(
  {
    id: Type.String({ description: 'The id of the render.' }),
    state: choice(renderStates, { description: 'Whether the render waits, runs or has ended.' }),
    reference: orNull('string', 'The reference of the request.'),
    created_at: Type.String({ ...time, description: 'When the render was asked for.' }),
    finished_at: orNull('string', 'When it ended.', time),
    expires_at: orNull('string', 'When the hosted outputs are deleted; null for never.', time),
    cached: Type.Boolean({ description: 'Whether this is an earlier result.' }),
    units: Type.Integer({ description: 'Render units that it cost.' }),
    duration_ms: ms('How long it took.'),
    timing: Type.Object(
      {
        queue_ms: ms('Waiting for a slot.'),
        load_ms: ms('Loading the page.'),
        settle_ms: ms('Waiting for the page to rest.'),
        capture_ms: ms('Making the outputs.'),
        store_ms: ms('Storing them.'),
      },
      { ...strict, description: 'Where the time went, in milliseconds.' },
    ),
    page: Type.Object(
      {
        source: choice(['url', 'html', 'markdown'], { description: 'What was rendered.' }),
        url: orNull('string', 'The address asked for, without its query string.'),
        final_url: orNull('string', 'The address at the end, without its query string.'),
        status: orNull('integer', 'The HTTP status of the page.'),
        title: orNull('string', 'The title of the page.'),
        width: orNull('integer', 'How wide it is, with what is reached by scrolling, in CSS pixels.'),
        height: orNull('integer', 'How tall it is, with what is reached by scrolling, in CSS pixels.'),
      },
      { ...strict, description: 'The page.' },
    ),
    outputs: Type.Array(Output, { description: 'In the order of the request; empty if it failed.' }),
    warnings: Type.Array(Warning, { maxItems: maxWarnings, description: 'What is not as it should be.' }),
    error: Type.Unsafe<object | null>({
      anyOf: [
        Type.Object(
          {
            ...errorFields,
            request_id: orNull('string', 'Of the request that asked for the render; null for an older one.'),
          },
          strict,
        ),
        { type: 'null' },
      ],
      description: 'Why it failed; null if it did not.',
    }),
  },
  { ...strict, description: 'The receipt of a render. Every field is always there.' },
);
export type Render = Static<typeof Render>;

export const RenderList = Type.Object(
  {
    items: Type.Array(Render, { description: 'The newest first.' }),
    next_cursor: orNull('string', 'The cursor of the next page; null on the last one.'),
  },
  strict,
);

export const Deleted = Type.Object(
  {
    id: Type.String({ description: 'The id of what was deleted.' }),
    deleted: Type.Boolean({ description: 'True.' }),
  },
  strict,
);

export const RenderQuery = Type.Object(
  optional({
    wait: integer(0, 30, 'Seconds to wait for the end of the render.', { default: 0 }),
  }),
  strict,
);

export const RendersQuery = Type.Object(
  optional({
    limit: integer(1, 100, 'Renders on a page.', { default: 50 }),
    cursor: text(200, 'The next_cursor of the page before.'),
    reference: text(200, 'Only renders with this reference.'),
    state: choice(renderStates, { description: 'Only renders in this state.' }),
    ...createdBetween,
  }),
  strict,
);
