// The URLs in responses as operations of both documents: share page, bytes, variants and delete link. They need no key. Spec 2.1, 2.3, 2.4,
// 5.5, 10.10.
import { imageNames } from '#uploads/image-types.ts';
import { variantFormats, variantWidths } from '#uploads/pictures/variant.ts';
import { answer, bytes, json, parameter, pathParameter, pictureTypes } from '#site/openapi/content.ts';
import { answers } from '#site/openapi/examples.ts';
import { uploadAnswers } from '#site/openapi/examples-v2.ts';
import { budgetHeaders, type Json } from '#site/openapi/headers.ts';
import type { Operation } from '#site/openapi/operation.ts';

const slug = pathParameter('slug', 'The slug of the upload.', answers.UploadResult.slug);
const idParameter = (example: string) => pathParameter('id', 'The id.', example);

const hosted = (
  id: string,
  summary: string,
  parameters: Json[],
  responses: Operation['responses'],
): Operation => ({
  id,
  tag: 'Hosted',
  summary,
  description: 'Answers 404 once the link has expired or was deleted.',
  parameters,
  responses,
  codes: ['not_found'],
});

const hostedBytes = (id: string, what: string, parameters: Json[], types: string[]): Operation =>
  hosted(id, `The bytes of ${what}`, parameters, {
    200: { description: 'It is there.', content: bytes(types) },
    206: { description: 'The part that Range asks for.', content: bytes(types) },
    302: { description: 'The bytes are at Location, if the file store serves pictures itself.' },
    304: { description: 'Unchanged since If-None-Match or If-Modified-Since.' },
    412: { description: 'Not as If-Match or If-Unmodified-Since expects.' },
    416: { description: 'Range asks for a part past the end.' },
  });

const deleted = {
  type: 'object',
  required: ['id', 'deleted'],
  properties: { id: { type: 'string' }, deleted: { const: true } },
};
const deletion = (id: string): Operation => ({
  id,
  tag: 'Hosted',
  summary: 'Delete an upload by its delete_url',
  description:
    'The token is the permission, so the address is a secret. Every request to it deletes, a GET of a program too, with two exceptions: ' +
    'a GET that accepts text/html gets a page that asks first, and so does one that announces itself as a prefetch or has the User-Agent of a known link preview or ' +
    'crawler. A HEAD deletes nothing. A wrong token and an upload that is gone give the same 404.',
  parameters: [
    idParameter(answers.UploadResult.id),
    parameter('token', 'query', 'The token of the delete_url.', '8Jt5nVbQx2'),
  ],
  responses: { 200: answer('Deleted.', budgetHeaders, json(deleted, { deleted: answers.Deleted })) },
  codes: ['not_found', 'rate_limited'],
});

export const hosted1: Record<string, Operation> = {
  'POST /api/uploads/:id/delete': deletion('deleteUpload'),
  'DELETE /api/uploads/:id/delete': deletion('deleteUploadByMethod'),
  'GET /i/:slug': hosted('showShare', 'The share page of an upload', [slug], {
    200: { description: 'It is there.', content: { 'text/html': { schema: { type: 'string' } } } },
  }),
  'GET /f/:slug': hostedBytes('readFile', 'an upload', [slug], Object.keys(imageNames)),
  'GET /s/:id': hostedBytes(
    'readScreenshot',
    'a hosted screenshot',
    [idParameter(answers.ScreenshotMetadata.id)],
    pictureTypes,
  ),
  'GET /p/:id': hostedBytes(
    'readPdf',
    'a hosted PDF',
    [idParameter(answers.PdfMetadata.id)],
    ['application/pdf'],
  ),
};

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

const variantsOf = (id: string, what: string, place: Json, types: string[]): Operation => ({
  id,
  tag: 'Hosted',
  summary: `The bytes of ${what}, or a variant`,
  description:
    'A variant is made once, kept and deleted with its original. Animated pictures and SVGs are served as they are. Needs no key.',
  parameters: [place, ...variantParameters],
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
  codes: [],
});

/** In version 2, which has variants of pictures. */
export const hosted2: Record<string, Operation> = {
  'GET /f/:slug': variantsOf(
    'readFile',
    'an upload',
    pathParameter('slug', 'The slug of an upload.', uploadAnswers.Upload.slug),
    Object.keys(imageNames),
  ),
  'GET /s/:id': variantsOf(
    'readPicture',
    'a hosted picture of a render',
    pathParameter('id', 'The id in the link of the output.', uploadAnswers.Upload.id),
    pictureTypes,
  ),
};
