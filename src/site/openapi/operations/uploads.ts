// The uploads of version 2 and the usage of an account in its document. Spec 10.8, 10.9.
import type { TSchema } from 'typebox';
import * as schemas from '#api/v2/upload-schemas.ts';
import {
  answer,
  fileOf,
  idempotencyKey,
  json,
  jsonBody,
  metered,
  pageOf,
  pathParameter,
  plain,
  valuesOf,
} from '#site/openapi/content.ts';
import { uploadAnswers, uploadChanges, uploadForms, uploadsFromUrl } from '#site/openapi/examples-v2.ts';
import { budgetHeaders, type Json } from '#site/openapi/headers.ts';
import type { Operation } from '#site/openapi/operation.ts';

const parameters = [pathParameter('id', 'The id of an upload.', uploadAnswers.Upload.id)];
const shown = (description: string): Json =>
  answer(
    description,
    budgetHeaders,
    json('Upload', { upload: { ...uploadAnswers.Upload, delete_url: null } }),
  );
const formOf = ({ properties, ...schema }: TSchema & { properties: object }): Json => ({
  ...schema,
  required: ['file'],
  properties: {
    file: fileOf('A PNG, JPEG, GIF, WebP, SVG or AVIF of at most 10 MB.'),
    ...properties,
  },
});

export const uploads = {
  'GET /api/v2/uploads': {
    id: 'listUploads',
    tag: 'Uploads',
    summary: 'List uploads',
    description:
      'The newest come first. With `search` or `tag` a page looks at 20,000 uploads at most, so it may be empty while `next_cursor` goes on.',
    query: schemas.UploadsQuery,
    responses: { 200: pageOf('UploadList', uploadAnswers.UploadList) },
  },
  'POST /api/v2/uploads': {
    id: 'createUpload',
    tag: 'Uploads',
    summary: 'Store a picture',
    description:
      'Stores one picture, sent as a form or fetched from an address, and answers with its links. Its metadata is removed unless strip_metadata is false. Costs an upload unit.',
    parameters: [idempotencyKey],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: formOf(plain(schemas.UploadFields) as never),
          examples: valuesOf(uploadForms),
        },
        ...json('UploadFromUrl', uploadsFromUrl),
      },
    },
    responses: { 201: answer('Stored.', metered, json('Upload', { upload: uploadAnswers.Upload })) },
    places: ['metered', 'body', 'upload', 'fetch'],
  },
  'GET /api/v2/uploads/:id': {
    id: 'readUpload',
    tag: 'Uploads',
    summary: 'Read an upload',
    description: 'Its links and what is known of it.',
    parameters,
    responses: { 200: shown('The upload.') },
  },
  'PATCH /api/v2/uploads/:id': {
    id: 'changeUpload',
    tag: 'Uploads',
    summary: 'Change an upload',
    description: 'Its links stay as they are.',
    parameters,
    requestBody: jsonBody('UploadChanges', uploadChanges),
    responses: { 200: shown('The changed upload.') },
    places: ['body'],
  },
  'DELETE /api/v2/uploads/:id': {
    id: 'deleteOwnUpload',
    tag: 'Uploads',
    summary: 'Delete an upload',
    description: 'Its links stop working at once. It can be restored for seven days.',
    parameters,
    responses: {
      200: answer('Deleted.', budgetHeaders, json('Deleted', { deleted: uploadAnswers.Deleted })),
    },
  },
  'POST /api/v2/uploads/:id/restore': {
    id: 'restoreUpload',
    tag: 'Uploads',
    summary: 'Restore an upload',
    description: 'Undoes a deletion of the last seven days: the old links work again.',
    parameters,
    responses: { 200: shown('Restored.') },
  },
  'GET /api/v2/usage': {
    id: 'readUsage',
    tag: 'Account',
    summary: 'Read the usage',
    description: 'What the account has used this month, and what is left.',
    responses: { 200: answer('The usage.', budgetHeaders, json('Usage', { usage: uploadAnswers.Usage })) },
  },
} satisfies Record<string, Operation>;
