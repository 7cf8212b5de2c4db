// The URLs in responses as operations of the document: share page, bytes and delete link. They need no key. Spec 2.1, 2.3, 2.4,
// 5.5.
import type { ErrorCode } from '#core/errors.ts';
import { imageNames } from '#uploads/image-types.ts';
import { answer, bytes, json, pictureTypes } from '#http/openapi/content.ts';
import { answers } from '#http/openapi/examples.ts';
import { budgetHeaders, type Json } from '#http/openapi/headers.ts';

const parameter = (name: string, place: 'path' | 'query', description: string, example: string): Json => ({
  name,
  in: place,
  required: true,
  description,
  schema: { type: 'string' },
  example,
});
const slug = parameter('slug', 'path', 'The slug of the upload.', answers.UploadResult.slug);
const id = (example: string) => parameter('id', 'path', 'The id.', example);

export function hostedPaths(errorAnswer: (code: ErrorCode) => Json): Json {
  const gone = { 404: errorAnswer('not_found') };

  const hosted = (operationId: string, summary: string, parameters: Json[], more: Json): Json => ({
    get: {
      operationId,
      tags: ['Hosted'],
      summary,
      description: 'Answers 404 once the link has expired or was deleted.',
      security: [],
      parameters,
      responses: { ...more, ...gone },
    },
  });

  const hostedBytes = (operationId: string, what: string, parameters: Json[], types: string[]): Json =>
    hosted(operationId, `The bytes of ${what}`, parameters, {
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
  const deletion = (operationId: string): Json => ({
    operationId,
    tags: ['Hosted'],
    summary: 'Delete an upload by its delete_url',
    description:
      'The token is the permission, so the address is a secret. Every request to it deletes, a GET of a program too, with two exceptions: ' +
      'a GET that accepts text/html gets a page that asks first, and so does one that announces itself as a prefetch or has the User-Agent of a known link preview or ' +
      'crawler. A HEAD deletes nothing. A wrong token and an upload that is gone give the same 404.',
    security: [],
    parameters: [
      id(answers.UploadResult.id),
      parameter('token', 'query', 'The token of the delete_url.', '8Jt5nVbQx2'),
    ],
    responses: {
      200: answer('Deleted.', budgetHeaders, json(deleted, { deleted: answers.Deleted })),
      ...gone,
      429: errorAnswer('rate_limited'),
    },
  });

  return {
    '/api/uploads/{id}/delete': {
      post: deletion('deleteUpload'),
      delete: deletion('deleteUploadByMethod'),
    },
    '/i/{slug}': hosted('showShare', 'The share page of an upload', [slug], {
      200: { description: 'It is there.', content: { 'text/html': { schema: { type: 'string' } } } },
    }),
    '/f/{slug}': hostedBytes('readFile', 'an upload', [slug], Object.keys(imageNames)),
    '/s/{id}': hostedBytes(
      'readScreenshot',
      'a hosted screenshot',
      [id(answers.ScreenshotMetadata.id)],
      pictureTypes,
    ),
    '/p/{id}': hostedBytes('readPdf', 'a hosted PDF', [id(answers.PdfMetadata.id)], ['application/pdf']),
  };
}
