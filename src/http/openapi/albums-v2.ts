// Albums and upload links in the document of version 2. Spec 10.12, 10.13.
import * as schemas from '#http/api/v2/album-schemas.ts';
import { answer, bytes, json, valuesOf } from '#http/openapi/content.ts';
import type { createErrorResponses } from '#http/openapi/error-responses.ts';
import { albumAnswers, albumChanges, albumRequests, uploadLinkRequests } from '#http/openapi/examples-v2.ts';
import { budgetHeaders, type Json } from '#http/openapi/headers.ts';
import { fileOf } from '#http/openapi/uploads-v2.ts';
import { describedAs, errorsAt, idempotencyKey, pathParameter } from '#http/openapi/shared.ts';

type Errors = ReturnType<typeof createErrorResponses>;

const ofAlbums = describedAs('Albums');
const ofLinks = describedAs('Upload links');
const albumId = pathParameter('id', 'The id of an album.', albumAnswers.Album.id);
const linkId = pathParameter('id', 'The id of an upload link.', albumAnswers.UploadLink.id);
const made = [...budgetHeaders, 'Idempotent-Replayed'];
const shown = { album: albumAnswers.Album };
const shownLink = { link: { ...albumAnswers.UploadLink, url: null, token: null } };
const deleted = answer('Deleted.', budgetHeaders, json('Deleted', { deleted: albumAnswers.Deleted }));

export function albumPaths(errors: Errors): Json {
  const everywhere = errors.forCodes(errorsAt(2, 'everywhere'));
  const ofBody = errors.forCodes(errorsAt(2, 'body'));
  const ofOne = errors.forCodes(errorsAt(2, 'everywhere', 'elsewhere'));
  return {
    '/api/v2/albums': {
      get: {
        ...ofAlbums('listAlbums', 'List albums', 'The newest come first.', schemas.PageQuery),
        responses: {
          200: answer(
            'A page of the list.',
            budgetHeaders,
            json('AlbumList', { list: albumAnswers.AlbumList }),
          ),
          ...everywhere,
        },
      },
      post: {
        ...ofAlbums(
          'createAlbum',
          'Make an album',
          'One link for many uploads: send its id as the album of uploads.',
          undefined,
          [idempotencyKey],
        ),
        requestBody: { required: true, content: json('NewAlbum', albumRequests) },
        responses: { 201: answer('Made.', made, json('Album', shown)), ...everywhere, ...ofBody },
      },
    },
    '/api/v2/albums/{id}': {
      get: {
        ...ofAlbums('readAlbum', 'Read an album', 'What is known of it, and its link.', undefined, [albumId]),
        responses: { 200: answer('The album.', budgetHeaders, json('Album', shown)), ...ofOne },
      },
      patch: {
        ...ofAlbums('changeAlbum', 'Change an album', 'Its link stays as it is.', undefined, [albumId]),
        requestBody: { required: true, content: json('AlbumChanges', albumChanges) },
        responses: {
          200: answer('The changed album.', budgetHeaders, json('Album', shown)),
          ...ofOne,
          ...ofBody,
        },
      },
      delete: {
        ...ofAlbums(
          'deleteAlbum',
          'Delete an album',
          'Its link stops working at once, and upload links into it end. Its uploads stay, in no album.',
          undefined,
          [albumId],
        ),
        responses: { 200: deleted, ...ofOne },
      },
    },
    '/api/v2/upload_links': {
      get: {
        ...ofLinks('listUploadLinks', 'List upload links', 'The newest come first.', schemas.PageQuery),
        responses: {
          200: answer(
            'A page of the list.',
            budgetHeaders,
            json('UploadLinkList', { list: albumAnswers.UploadLinkList }),
          ),
          ...everywhere,
        },
      },
      post: {
        ...ofLinks(
          'createUploadLink',
          'Make an upload link',
          'Whoever has it uploads for this account, without a key. Its address is in this response only.',
          undefined,
          [idempotencyKey],
        ),
        requestBody: { required: true, content: json('NewUploadLink', uploadLinkRequests) },
        responses: {
          201: answer('Made.', made, json('UploadLink', { link: albumAnswers.UploadLink })),
          ...everywhere,
          ...ofBody,
        },
      },
    },
    '/api/v2/upload_links/{id}': {
      get: {
        ...ofLinks('readUploadLink', 'Read an upload link', 'How much of it is used.', undefined, [linkId]),
        responses: { 200: answer('The link.', budgetHeaders, json('UploadLink', shownLink)), ...ofOne },
      },
      delete: {
        ...ofLinks(
          'deleteUploadLink',
          'End an upload link',
          'It stops working at once; what was uploaded stays.',
          undefined,
          [linkId],
        ),
        responses: { 200: deleted, ...ofOne },
      },
    },
    '/u/{token}': {
      post: {
        operationId: 'sendFile',
        tags: ['Upload links'],
        summary: 'Send a file through an upload link',
        description:
          'Needs no key. Stores one picture for the account that made the link, without its metadata. Pages of every origin may send files.',
        security: [],
        parameters: [pathParameter('token', 'The token of an upload link.', albumAnswers.UploadLink.token)],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['file'],
                additionalProperties: false,
                properties: { file: fileOf('A PNG, JPEG, GIF, WebP, SVG or AVIF.') },
              },
              examples: valuesOf({ 'a photo': { file: '@photo.jpg' } }),
            },
          },
        },
        responses: {
          201: answer('Stored.', budgetHeaders, json('Upload', { upload: albumAnswers.Sent })),
          ...errors.forCodes(
            errorsAt(2, 'everywhere', 'elsewhere', 'metered', 'upload').filter(
              (code) => code !== 'unauthorized' && code !== 'forbidden',
            ),
          ),
        },
      },
    },
    '/a/{slug}': {
      get: {
        operationId: 'readAlbumFiles',
        tags: ['Hosted'],
        summary: 'The page of an album, or all of its files',
        description: 'With .zip after the slug, an archive that is written as it is read. Needs no key.',
        security: [],
        parameters: [pathParameter('slug', 'The slug of an album.', albumAnswers.Album.slug)],
        responses: {
          200: { description: 'The page or the archive.', content: bytes(['text/html', 'application/zip']) },
          404: { description: 'There is nothing, or no longer.' },
        },
      },
    },
  };
}
