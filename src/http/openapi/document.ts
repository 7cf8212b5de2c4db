// Builds the OpenAPI 3.1 document from the schemas used for validation. Spec 9.
import type { TSchema } from 'typebox';
import type { ErrorPlace } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import * as accountSchemas from '#http/account/schemas.ts';
import * as schemas from '#http/api/v1/schemas.ts';
import { RendersQuery, UploadsQuery } from '#http/dashboard/schemas/files.ts';
import {
  answer,
  bytesOr,
  json,
  metered,
  parametersOf,
  pictureTypes,
  plain,
  requestBody,
} from '#http/openapi/content.ts';
import { createErrorResponses } from '#http/openapi/error-responses.ts';
import { answers, type requests } from '#http/openapi/examples.ts';
import { budgetHeaders, headers, type Json } from '#http/openapi/headers.ts';
import { hostedPaths } from '#http/openapi/hosted.ts';
import { errorsAt, idempotencyKey, operatorOf, securitySchemes } from '#http/openapi/shared.ts';

const expiresIn = {
  type: 'integer',
  minimum: limits.expiresInSeconds.min,
  maximum: limits.expiresInSeconds.max,
  description:
    'Seconds until the link expires. If omitted: no scheduled expiry on a paid plan, 30 days on the Free plan, ' +
    'which caps every value at 30 days.',
};
const image = {
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description: 'PNG, JPEG, GIF, WebP, SVG or AVIF, detected from its bytes. At most 10 MB.',
};

export function buildOpenapi(baseUrl: string): Json {
  const errors = createErrorResponses();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tintype',
      version: '1.2.0',
      summary: 'Upload images, capture web pages, print them to PDF.',
      description:
        'Stores images and returns share links, captures public web pages as images, and prints public web pages to PDF. ' +
        'Rate limit and quota belong to the account and are shared by all of its keys.',
      ...operatorOf(baseUrl),
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      {
        name: 'Account',
        description: 'Read what a key of the account may see. Costs a request and no unit.',
      },
      { name: 'Hosted', description: 'What the links in answers lead to. They need no key.' },
      { name: 'Renders', description: 'Capture and print public web pages.' },
      { name: 'Uploads', description: 'Store images and get links.' },
    ],
    paths: {
      '/api/v1/upload': {
        post: operation('uploadImage', 'Uploads', 'Store one image', ['upload'], {
          description:
            'Takes multipart/form-data. The type is detected from the bytes, and an SVG is sanitized before it is stored. ' +
            'Costs one upload unit.',
          body: { file: image, expires_in: expiresIn },
          responses: {
            201: answer('Stored.', metered, json('UploadResult', { stored: answers.UploadResult })),
          },
        }),
      },
      '/api/v1/upload/batch': {
        post: operation('uploadImages', 'Uploads', 'Store up to ten images', ['upload', 'batch'], {
          description:
            'Takes up to ten parts named "file", 50 MB together. Each file is checked separately, and each stored file costs one ' +
            'upload unit; when every file fails, the status is that of the failures and the body is still the batch result.',
          body: {
            file: { type: 'array', items: image, minItems: 1, maxItems: limits.batchFiles },
            expires_in: expiresIn,
          },
          responses: {
            201: answer(
              'Every file was stored.',
              metered,
              json('BatchResult', { stored: answers.batchStored }),
            ),
            207: answer(
              'Some files were stored; each item says which.',
              metered,
              json('BatchResult', { mixed: answers.batchMixed }),
            ),
          },
        }),
      },
      '/api/v1/screenshot': {
        post: operation(
          'captureScreenshot',
          'Renders',
          'Capture a page as an image',
          ['render', 'screenshot'],
          {
            description:
              'Loads a public page in a browser with JavaScript, waits for its load event and up to 3 s for the network to settle, ' +
              'and captures it. Costs one render unit; a failed capture costs none.',
            body: 'ScreenshotRequest',
            responses: {
              200: bytesOr(pictureTypes, 'ScreenshotMetadata', 'The picture, or where it is hosted.'),
            },
          },
        ),
      },
      '/api/v1/pdf': {
        post: operation('renderPdf', 'Renders', 'Print a page to PDF', ['render', 'pdf'], {
          description:
            'Loads a public page in a browser with JavaScript and prints it. Costs one render unit, the same unit as a ' +
            'screenshot; a failed render costs none.',
          body: 'PdfRequest',
          responses: {
            200: bytesOr(['application/pdf'], 'PdfMetadata', 'The document, or where it is hosted.'),
          },
        }),
      },
      '/api/account/uploads': {
        get: reading('listUploads', 'List uploads', 'AccountUploads', UploadsQuery, 'for uploads'),
      },
      '/api/account/renders': {
        get: reading('listRenders', 'List renders', 'AccountRenders', RendersQuery, 'for renders'),
      },
      '/api/account/usage': {
        get: reading(
          'readUsage',
          'Read plan, quotas and request budget',
          'AccountUsage',
          undefined,
          'of any scope',
        ),
      },
      ...hostedPaths(errors.forCode),
    },
    components: {
      securitySchemes,
      schemas: Object.fromEntries(
        [...Object.entries(schemas), ...Object.entries(accountSchemas)].map(([name, schema]) => [
          name,
          plain(schema),
        ]),
      ),
      headers,
      responses: errors.shared,
    },
  };

  function operation(
    operationId: keyof typeof requests,
    tag: string,
    summary: string,
    places: ErrorPlace[],
    own: { description: string; body: string | Json; responses: Record<number, Json> },
  ): Json {
    const codes = errorsAt(1, 'everywhere', 'metered', ...places);
    return {
      operationId,
      tags: [tag],
      summary,
      description: own.description,
      parameters: [idempotencyKey],
      requestBody: requestBody(operationId, own.body),
      responses: { ...own.responses, ...errors.forCodes(codes, places.includes('batch')) },
    };
  }

  function reading(
    operationId: string,
    summary: string,
    schema: 'AccountUploads' | 'AccountRenders' | 'AccountUsage',
    query: TSchema | undefined,
    keys: string,
  ): Json {
    return {
      operationId,
      tags: ['Account'],
      summary,
      description: `Takes a key ${keys}. Costs one request and no unit.${query ? ' The newest come first; next_cursor leads to the next page.' : ''}`,
      parameters: query ? parametersOf(query) : [],
      responses: {
        200: answer('The result.', budgetHeaders, json(schema, { example: answers[schema] })),
        ...errors.forCodes(errorsAt(1, 'everywhere').filter((code) => query || code !== 'validation_error')),
      },
    };
  }
}
