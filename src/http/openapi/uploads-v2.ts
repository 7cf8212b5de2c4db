// The uploads of version 2, the usage of an account and the variants of hosted pictures in its document. Spec 10.8 to 10.10.
import type { TSchema } from 'typebox';
import { imageNames } from '#uploads/image-types.ts';
import { variantFormats, variantWidths } from '#uploads/pictures/variant.ts';
import * as schemas from '#http/api/v2/upload-schemas.ts';
import { answer, bytes, json, metered, pictureTypes, plain, valuesOf } from '#http/openapi/content.ts';
import type { createErrorResponses } from '#http/openapi/error-responses.ts';
import { uploadAnswers, uploadChanges, uploadForms, uploadsFromUrl } from '#http/openapi/examples-v2.ts';
import { budgetHeaders, type Json } from '#http/openapi/headers.ts';
import { describedAs, errorsAt, idempotencyKey, pathParameter } from '#http/openapi/shared.ts';

type Errors = ReturnType<typeof createErrorResponses>;

const described = describedAs('Uploads');
const uploadId = pathParameter('id', 'The id of an upload.', uploadAnswers.Upload.id);
const shown = { upload: { ...uploadAnswers.Upload, delete_url: null } };
export const fileOf = (description: string): Json => ({
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description,
});
const formOf = ({ properties, ...schema }: TSchema & { properties: object }): Json => ({
  ...schema,
  required: ['file'],
  properties: {
    file: fileOf('A PNG, JPEG, GIF, WebP, SVG or AVIF of at most 10 MB.'),
    ...properties,
  },
});

export function uploadPaths(errors: Errors): Json {
  const ofOne = errors.forCodes(errorsAt(2, 'everywhere', 'elsewhere'));
  return {
    '/api/v2/uploads': {
      get: {
        ...described(
          'listUploads',
          'List uploads',
          'The newest come first. With `search` or `tag` a page looks at 20,000 uploads at most, so it may be empty while `next_cursor` goes on.',
          schemas.UploadsQuery,
        ),
        responses: {
          200: answer(
            'A page of the list.',
            budgetHeaders,
            json('UploadList', { list: uploadAnswers.UploadList }),
          ),
          ...errors.forCodes(errorsAt(2, 'everywhere')),
        },
      },
      post: {
        operationId: 'createUpload',
        tags: ['Uploads'],
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
        responses: {
          201: answer('Stored.', metered, json('Upload', { upload: uploadAnswers.Upload })),
          ...errors.forCodes(errorsAt(2, 'everywhere', 'metered', 'body', 'upload', 'fetch')),
        },
      },
    },
    '/api/v2/uploads/{id}': {
      get: {
        ...described('readUpload', 'Read an upload', 'Its links and what is known of it.', undefined, [
          uploadId,
        ]),
        responses: { 200: answer('The upload.', budgetHeaders, json('Upload', shown)), ...ofOne },
      },
      patch: {
        ...described('changeUpload', 'Change an upload', 'Its links stay as they are.', undefined, [
          uploadId,
        ]),
        requestBody: { required: true, content: json('UploadChanges', uploadChanges) },
        responses: {
          200: answer('The changed upload.', budgetHeaders, json('Upload', shown)),
          ...ofOne,
          ...errors.forCodes(errorsAt(2, 'body')),
        },
      },
      delete: {
        ...described(
          'deleteOwnUpload',
          'Delete an upload',
          'Its links stop working at once. It can be restored for seven days.',
          undefined,
          [uploadId],
        ),
        responses: {
          200: answer('Deleted.', budgetHeaders, json('Deleted', { deleted: uploadAnswers.Deleted })),
          ...ofOne,
        },
      },
    },
    '/api/v2/uploads/{id}/restore': {
      post: {
        ...described(
          'restoreUpload',
          'Restore an upload',
          'Undoes a deletion of the last seven days: the old links work again.',
          undefined,
          [uploadId],
        ),
        responses: { 200: answer('Restored.', budgetHeaders, json('Upload', shown)), ...ofOne },
      },
    },
    '/api/v2/usage': {
      get: {
        ...describedAs('Account')(
          'readUsage',
          'Read the usage',
          'What the account has used this month, and what is left.',
        ),
        responses: {
          200: answer('The usage.', budgetHeaders, json('Usage', { usage: uploadAnswers.Usage })),
          ...errors.forCodes(errorsAt(2, 'everywhere')),
        },
      },
    },
  };
}

const variantParameters = [
  {
    name: 'width',
    in: 'query',
    required: false,
    description: 'The width in pixels. A picture is never enlarged.',
    schema: { type: 'integer', enum: variantWidths },
    example: 640,
  },
  {
    name: 'format',
    in: 'query',
    required: false,
    description:
      'auto: WebP for clients that accept it, else the type of the picture; the picture itself where no variant can be made. Without width and format, the bytes are those that were stored.',
    schema: { type: 'string', enum: variantFormats, default: 'auto' },
    example: 'webp',
  },
];

const failure = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    },
  },
};

const variantsOf = (operationId: string, what: string, parameter: Json, types: string[]): Json => ({
  get: {
    operationId,
    tags: ['Hosted'],
    summary: `The bytes of ${what}, or a variant`,
    description:
      'A variant is made once, kept and deleted with its original. Animated pictures and SVGs are served as they are. Needs no key.',
    security: [],
    parameters: [parameter, ...variantParameters],
    responses: {
      200: { description: 'The bytes.', content: bytes(types) },
      304: { description: 'Unchanged since If-None-Match or If-Modified-Since.' },
      404: {
        description: 'There is nothing, or no longer.',
        content: json(failure, {
          gone: { error: { code: 'not_found', message: 'There is nothing at this address.' } },
        }),
      },
      422: {
        description: 'There is no such variant, or it cannot be made in this format.',
        content: json(failure, {
          refused: {
            error: {
              code: 'validation_error',
              message: `format: must be one of ${variantFormats.join(', ')}`,
            },
          },
        }),
      },
    },
  },
});

export const variantPaths: Json = {
  '/f/{slug}': variantsOf(
    'readFile',
    'an upload',
    pathParameter('slug', 'The slug of an upload.', uploadAnswers.Upload.slug),
    Object.keys(imageNames),
  ),
  '/s/{id}': variantsOf(
    'readPicture',
    'a hosted picture of a render',
    pathParameter('id', 'The id in the link of the output.', uploadAnswers.Upload.id),
    pictureTypes,
  ),
};
