// The URLs in responses as operations of the document: share page, bytes and delete link. They need no key. Spec 2.1, 2.3, 2.4,
// 5.5.
import type { ErrorCode } from '#core/errors.ts';
import { imageNames } from '#uploads/image-types.ts';
import { answers } from '#http/openapi/examples.ts';
import { budgetHeaders, headerRefs } from '#http/openapi/headers.ts';

type Json = Record<string, unknown>;

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
const bytes = (types: string[]): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]));
const images = Object.keys(imageNames);

export function hostedPaths(errorAnswer: (code: ErrorCode) => Json): Json {
  const gone = { 404: errorAnswer('not_found') };

  function hosted(
    operationId: string,
    summary: string,
    parameters: Json[],
    content: Json,
    more: Json = {},
  ): Json {
    return {
      get: {
        operationId,
        tags: ['Hosted'],
        summary,
        description: 'Answers 404 once the link has expired or was deleted.',
        security: [],
        parameters,
        responses: { 200: { description: 'It is there.', content }, ...more, ...gone },
      },
    };
  }

  const hostedBytes = (operationId: string, summary: string, parameters: Json[], types: string[]): Json =>
    hosted(operationId, summary, parameters, bytes(types), {
      206: { description: 'The part that Range asks for.', content: bytes(types) },
      302: { description: 'The bytes are at Location, if the file store serves pictures itself.' },
      304: { description: 'Unchanged since If-None-Match or If-Modified-Since.' },
      412: { description: 'Not as If-Match or If-Unmodified-Since expects.' },
      416: { description: 'Range asks for a part past the end.' },
    });

  function deletion(operationId: string): Json {
    return {
      operationId,
      tags: ['Hosted'],
      summary: 'Delete an upload by its delete_url',
      description:
        'The token is the permission, so the address is a secret. A browser that follows the address is asked first. ' +
        'A wrong token and an upload that is gone give the same 404.',
      security: [],
      parameters: [
        id(answers.UploadResult.id),
        parameter('token', 'query', 'The token of the delete_url.', '8Jt5nVbQx2'),
      ],
      responses: {
        200: {
          description: 'Deleted.',
          headers: headerRefs(budgetHeaders),
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['id', 'deleted'],
                properties: { id: { type: 'string' }, deleted: { const: true } },
              },
              examples: { deleted: { summary: 'deleted', value: answers.Deleted } },
            },
          },
        },
        ...gone,
        429: errorAnswer('rate_limited'),
      },
    };
  }

  return {
    '/api/uploads/{id}/delete': {
      post: deletion('deleteUpload'),
      delete: deletion('deleteUploadByMethod'),
    },
    '/i/{slug}': hosted('showShare', 'The share page of an upload', [slug], {
      'text/html': { schema: { type: 'string' } },
    }),
    '/f/{slug}': hostedBytes('readFile', 'The bytes of an upload', [slug], images),
    '/s/{id}': hostedBytes(
      'readScreenshot',
      'The bytes of a hosted screenshot',
      [id(answers.ScreenshotMetadata.id)],
      images.slice(0, 4).filter((type) => type !== 'image/gif'),
    ),
    '/p/{id}': hostedBytes(
      'readPdf',
      'The bytes of a hosted PDF',
      [id(answers.PdfMetadata.id)],
      ['application/pdf'],
    ),
  };
}
