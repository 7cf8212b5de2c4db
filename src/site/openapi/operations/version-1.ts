// The endpoints of version 1 in its document, and those that read a key's own account. Spec 4, 10.
import type { TSchema } from 'typebox';
import { limits } from '#core/limits.ts';
import { RendersQuery, UploadsQuery } from '#api/account/queries.ts';
import {
  answer,
  bytesOr,
  formBody,
  idempotencyKey,
  json,
  jsonBody,
  metered,
  pictureTypes,
} from '#site/openapi/content.ts';
import { answers, requests } from '#site/openapi/examples.ts';
import { budgetHeaders } from '#site/openapi/headers.ts';
import { errorsAt, type Operation } from '#site/openapi/operation.ts';

const parameters = [idempotencyKey];
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

export const version1 = {
  'POST /api/v1/upload': {
    id: 'uploadImage',
    tag: 'Uploads',
    summary: 'Store one image',
    description:
      'Takes multipart/form-data. The type is detected from the bytes, and an SVG is sanitized before it is stored. ' +
      'Costs one upload unit.',
    parameters,
    requestBody: formBody({ file: image, expires_in: expiresIn }, requests.uploadImage),
    responses: { 201: answer('Stored.', metered, json('UploadResult', { stored: answers.UploadResult })) },
    places: ['metered', 'upload'],
  },
  'POST /api/v1/upload/batch': {
    id: 'uploadImages',
    tag: 'Uploads',
    summary: 'Store up to ten images',
    description:
      'Takes up to ten parts named "file", 50 MB together. Each file is checked separately, and each stored file costs one ' +
      'upload unit; when every file fails, the status is that of the failures and the body is still the batch result.',
    parameters,
    requestBody: formBody(
      {
        file: { type: 'array', items: image, minItems: 1, maxItems: limits.batchFiles },
        expires_in: expiresIn,
      },
      requests.uploadImages,
    ),
    responses: {
      201: answer('Every file was stored.', metered, json('BatchResult', { stored: answers.batchStored })),
      207: answer(
        'Some files were stored; each item says which.',
        metered,
        json('BatchResult', { mixed: answers.batchMixed }),
      ),
    },
    places: ['metered', 'upload', 'batch'],
  },
  'POST /api/v1/screenshot': {
    id: 'captureScreenshot',
    tag: 'Renders',
    summary: 'Capture a page as an image',
    description:
      'Loads a public page in a browser with JavaScript, waits for its load event and up to 3 s for the network to settle, ' +
      'and captures it. Costs one render unit; a failed capture costs none.',
    parameters,
    requestBody: jsonBody('ScreenshotRequest', requests.captureScreenshot),
    responses: { 200: bytesOr(pictureTypes, 'ScreenshotMetadata', 'The picture, or where it is hosted.') },
    places: ['metered', 'render', 'screenshot'],
  },
  'POST /api/v1/pdf': {
    id: 'renderPdf',
    tag: 'Renders',
    summary: 'Print a page to PDF',
    description:
      'Loads a public page in a browser with JavaScript and prints it. Costs one render unit, the same unit as a ' +
      'screenshot; a failed render costs none.',
    parameters,
    requestBody: jsonBody('PdfRequest', requests.renderPdf),
    responses: { 200: bytesOr(['application/pdf'], 'PdfMetadata', 'The document, or where it is hosted.') },
    places: ['metered', 'render', 'pdf'],
  },
  'GET /api/account/uploads': reading('AccountUploads', {
    id: 'listUploads',
    summary: 'List uploads',
    keys: 'for uploads',
    successor: 'GET /api/v2/uploads',
    query: UploadsQuery,
  }),
  'GET /api/account/renders': reading('AccountRenders', {
    id: 'listRenders',
    summary: 'List renders',
    keys: 'for renders',
    successor: 'GET /api/v2/renders',
    query: RendersQuery,
  }),
  'GET /api/account/usage': reading('AccountUsage', {
    id: 'readUsage',
    summary: 'Read plan, quotas and request budget',
    keys: 'of any scope',
    successor: 'GET /api/v2/usage',
  }),
} satisfies Record<string, Operation>;

function reading(
  schema: 'AccountUploads' | 'AccountRenders' | 'AccountUsage',
  own: { id: string; summary: string; keys: string; successor: string; query?: TSchema },
): Operation {
  const { id, summary, keys, successor, query } = own;
  const pages = query ? ' The newest come first; next_cursor leads to the next page.' : '';
  return {
    id,
    tag: 'Account',
    summary,
    description: `Takes a key ${keys}. Costs one request and no unit.${pages} Deprecated: it ends with version 1; use ${successor}.`,
    ...(query && { query }),
    responses: { 200: answer('The result.', budgetHeaders, json(schema, { example: answers[schema] })) },
    codes: errorsAt(1, 'everywhere').filter((code) => query || code !== 'validation_error'),
  };
}
