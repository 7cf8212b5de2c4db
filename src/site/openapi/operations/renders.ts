// The renders of version 2 in its document. Spec 10.
import { limits } from '#core/limits.ts';
import { outputFiles } from '#renders/output-files.ts';
import { RenderQuery, RendersQuery } from '#api/v2/schemas.ts';
import {
  answer,
  bytes,
  idempotencyKey,
  json,
  metered,
  pageOf,
  pathParameter,
  reference,
  valuesOf,
} from '#site/openapi/content.ts';
import { formRequests, receipts, renderAnswers, renderRequests } from '#site/openapi/examples-v2.ts';
import { budgetHeaders } from '#site/openapi/headers.ts';
import type { Operation } from '#site/openapi/operation.ts';

const parameters = [pathParameter('id', 'The id of a render.', renderAnswers.Render.id)];

/** The types of bytes, without their parameters. */
export const outputTypes = Object.values(outputFiles).map(
  ({ contentType }) => contentType.split(';', 1)[0] ?? '',
);
/** Metadata as bytes is JSON too, with another schema. */
const jsonBodies = [reference('Render'), { type: 'object', description: 'The bytes of metadata.' }];

const files = {
  type: 'array',
  maxItems: limits.filesPerRender,
  items: { type: 'string', contentMediaType: 'application/octet-stream' },
  description:
    `Files that the document finds under their relative names, such as img/logo.png: at most ${limits.filesPerRender}, ` +
    '20 MB together.',
};

const bytesHeaders = [
  ...metered,
  'x-service-id',
  'x-service-duration-ms',
  'x-service-cache',
  'x-service-page-status',
  'x-service-warnings',
  'Age',
  'Server-Timing',
];

export const renders = {
  'GET /api/v2/renders': {
    id: 'listRenders',
    tag: 'Renders',
    summary: 'List renders',
    description: 'The newest come first.',
    query: RendersQuery,
    responses: { 200: pageOf('RenderList', renderAnswers.RenderList) },
  },
  'POST /api/v2/renders': {
    id: 'createRender',
    tag: 'Renders',
    summary: 'Render a page or a document',
    description:
      'Opens the page, waits for what was asked, and makes the outputs of one load. Each picture and each PDF costs a render ' +
      'unit; text, markup and metadata alone cost one together. A render that fails costs nothing. With `async` it is queued, and ' +
      'its units are reserved until it ends.',
    parameters: [idempotencyKey],
    requestBody: {
      required: true,
      content: {
        ...json('RenderRequest', renderRequests),
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['request'],
            additionalProperties: false,
            properties: { request: reference('RenderRequest'), file: files },
          },
          encoding: { request: { contentType: 'application/json' } },
          examples: valuesOf(formRequests),
        },
      },
    },
    responses: {
      200: answer('The bytes, or the receipt with links.', bytesHeaders, {
        ...bytes(outputTypes),
        ...json({ anyOf: jsonBodies }, { receipt: renderAnswers.Render }),
      }),
      202: answer('Queued: the receipt so far.', metered, json('Render', { queued: receipts.queued })),
    },
    places: ['metered', 'body', 'render', 'pdf'],
  },
  'GET /api/v2/renders/:id': {
    id: 'readRender',
    tag: 'Renders',
    summary: 'Read a render',
    description: 'Its state and its receipt; `wait` gives a queued one time to end.',
    parameters,
    query: RenderQuery,
    responses: {
      200: answer('The receipt.', budgetHeaders, json('Render', { receipt: renderAnswers.Render })),
    },
  },
  'DELETE /api/v2/renders/:id': {
    id: 'deleteRender',
    tag: 'Renders',
    summary: 'Cancel or delete a render',
    description:
      'One that waits or runs is canceled, costs nothing and can still be read. The links of one that has ended stop working at ' +
      'once, and it can no longer be read.',
    parameters,
    responses: {
      200: answer(
        'Deleted, or the receipt of the canceled render.',
        budgetHeaders,
        json(
          { anyOf: [reference('Deleted'), reference('Render')] },
          { deleted: renderAnswers.Deleted, canceled: receipts.canceled },
        ),
      ),
    },
  },
} satisfies Record<string, Operation>;
