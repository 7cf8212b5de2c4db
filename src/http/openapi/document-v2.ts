// Builds the OpenAPI 3.1 document of version 2 from the schemas used for validation. Spec 10.
import type { TSchema } from 'typebox';
import { limits } from '#core/limits.ts';
import { outputFiles } from '#renders/output-files.ts';
import * as schemas from '#http/api/v2/schemas.ts';
import * as albums from '#http/api/v2/album-schemas.ts';
import { Link, LinkRequest } from '#http/api/v2/link-schemas.ts';
import { Upload, UploadChanges, UploadFromUrl, UploadList, Usage } from '#http/api/v2/upload-schemas.ts';
import { albumPaths } from '#http/openapi/albums-v2.ts';
import { answer, bytes, json, metered, reference, valuesOf } from '#http/openapi/content.ts';
import { linkPaths } from '#http/openapi/links-v2.ts';
import { uploadPaths, variantPaths } from '#http/openapi/uploads-v2.ts';
import { createErrorResponses } from '#http/openapi/error-responses.ts';
import {
  errorExample,
  formRequests,
  receipts,
  renderAnswers,
  renderRequests,
} from '#http/openapi/examples-v2.ts';
import { budgetHeaders, headersOfBoth, type Json } from '#http/openapi/headers.ts';
import { webhooks } from '#http/openapi/webhooks-v2.ts';
import {
  describedAs,
  errorsAt,
  idempotencyKey,
  operatorOf,
  pathParameter,
  securitySchemes,
} from '#http/openapi/shared.ts';

const { RenderRequest, OutputOptions, Render, Output, RenderList, Deleted, ErrorEnvelope } = schemas;
const { NewAlbum, AlbumChanges, Album, AlbumList, NewUploadLink, UploadLink, UploadLinkList } = albums;
const components = {
  RenderRequest,
  OutputOptions,
  Render,
  Output,
  RenderList,
  LinkRequest,
  Link,
  Upload,
  UploadChanges,
  UploadList,
  UploadFromUrl,
  NewAlbum,
  AlbumChanges,
  Album,
  AlbumList,
  NewUploadLink,
  UploadLink,
  UploadLinkList,
  Usage,
  Deleted,
  ErrorEnvelope,
};

const renderId = pathParameter('id', 'The id of a render.', renderAnswers.Render.id);
const described = describedAs('Renders');

/** The types of bytes, without their parameters. */
const types = Object.values(outputFiles).map(({ contentType }) => contentType.split(';', 1)[0] ?? '');
/** Metadata as bytes is JSON too, with another schema. */
const jsonBodies = [reference('Render'), { type: 'object', description: 'The bytes of metadata.' }];

export function buildOpenapiV2(baseUrl: string): Json {
  const errors = createErrorResponses(errorExample);
  const reading = errorsAt(2, 'everywhere', 'elsewhere');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tintype, version 2',
      version: '2.0.0',
      summary: 'Render pages and documents as pictures, PDFs and text, and host pictures.',
      description:
        'Renders public web pages, and HTML or Markdown that comes with the request, as pictures, PDFs, text and data, and hosts pictures. ' +
        'Keys, rate limit and quota are those of version 1, which stands beside it.',
      ...operatorOf(baseUrl),
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Account', description: 'What the account has used.' },
      { name: 'Albums', description: 'One link for many uploads.' },
      { name: 'Hosted', description: 'The bytes of hosted pictures.' },
      { name: 'Links', description: 'Signed addresses that render when somebody opens them.' },
      { name: 'Renders', description: 'Make, queue, read, cancel and delete renders.' },
      { name: 'Upload links', description: 'Let others upload, without a key.' },
      { name: 'Uploads', description: 'Store, find, change and delete pictures.' },
      { name: 'Webhooks', description: 'What the endpoints of an account are told of.' },
    ],
    paths: {
      '/api/v2/renders': {
        get: {
          ...described('listRenders', 'List renders', 'The newest come first.', schemas.RendersQuery),
          responses: {
            200: answer(
              'A page of the list.',
              budgetHeaders,
              json('RenderList', { list: renderAnswers.RenderList }),
            ),
            ...errors.forCodes(errorsAt(2, 'everywhere')),
          },
        },
        post: {
          operationId: 'createRender',
          tags: ['Renders'],
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
              ...bytes(types),
              ...json({ anyOf: jsonBodies }, { receipt: renderAnswers.Render }),
            }),
            202: answer('Queued: the receipt so far.', metered, json('Render', { queued: receipts.queued })),
            ...errors.forCodes(errorsAt(2, 'everywhere', 'metered', 'body', 'render', 'pdf')),
          },
        },
      },
      '/api/v2/renders/{id}': {
        get: {
          ...described(
            'readRender',
            'Read a render',
            'Its state and its receipt; `wait` gives a queued one time to end.',
            schemas.RenderQuery,
            [renderId],
          ),
          responses: {
            200: answer('The receipt.', budgetHeaders, json('Render', { receipt: renderAnswers.Render })),
            ...errors.forCodes(reading),
          },
        },
        delete: {
          ...described(
            'deleteRender',
            'Cancel or delete a render',
            'One that waits or runs is canceled, costs nothing and can still be read. The links of one that has ended stop working at ' +
              'once, and it can no longer be read.',
            undefined,
            [renderId],
          ),
          responses: {
            200: answer(
              'Deleted, or the receipt of the canceled render.',
              budgetHeaders,
              json(
                { anyOf: [reference('Deleted'), reference('Render')] },
                { deleted: renderAnswers.Deleted, canceled: receipts.canceled },
              ),
            ),
            ...errors.forCodes(reading),
          },
        },
      },
      ...linkPaths(errors),
      ...uploadPaths(errors),
      ...albumPaths(errors),
      ...variantPaths,
    },
    webhooks,
    components: {
      securitySchemes,
      schemas: Object.fromEntries(
        Object.entries(components).map(([name, schema]) => [name, withReferences(schema)]),
      ),
      headers: headersOfBoth,
      responses: errors.shared,
    },
  };
}

const names = new Map(Object.entries(components).map(([name, schema]) => [JSON.stringify(schema), name]));

/** The schema, in which each of the components is a reference. */
const withReferences = (schema: TSchema): Json =>
  JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) => {
      const name = value === schema ? undefined : names.get(JSON.stringify(value));
      return name === undefined ? value : reference(name);
    }),
  ) as Json;

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
