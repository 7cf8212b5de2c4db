// Albums and upload links in the document of version 2. Spec 10.12, 10.13.
import { PageQuery } from '#api/v2/album-schemas.ts';
import {
  answer,
  bytes,
  fileOf,
  formBody,
  idempotencyKey,
  json,
  jsonBody,
  pageOf,
  pathParameter,
} from '#site/openapi/content.ts';
import { albumAnswers, albumChanges, albumRequests, uploadLinkRequests } from '#site/openapi/examples-v2.ts';
import { budgetHeaders, type Json } from '#site/openapi/headers.ts';
import { errorsAt, type Operation } from '#site/openapi/operation.ts';

const albumId = pathParameter('id', 'The id of an album.', albumAnswers.Album.id);
const linkId = pathParameter('id', 'The id of an upload link.', albumAnswers.UploadLink.id);
const made = (schema: string, examples: Record<string, object>): Json =>
  answer('Made.', [...budgetHeaders, 'Idempotent-Replayed'], json(schema, examples));
const shown = (description: string): Json =>
  answer(description, budgetHeaders, json('Album', { album: albumAnswers.Album }));
const shownLink = { link: { ...albumAnswers.UploadLink, url: null, token: null } };
const deleted = answer('Deleted.', budgetHeaders, json('Deleted', { deleted: albumAnswers.Deleted }));

export const albums = {
  'GET /api/v2/albums': {
    id: 'listAlbums',
    tag: 'Albums',
    summary: 'List albums',
    description: 'The newest come first.',
    query: PageQuery,
    responses: { 200: pageOf('AlbumList', albumAnswers.AlbumList) },
  },
  'POST /api/v2/albums': {
    id: 'createAlbum',
    tag: 'Albums',
    summary: 'Make an album',
    description: 'One link for many uploads: send its id as the album of uploads.',
    parameters: [idempotencyKey],
    requestBody: jsonBody('NewAlbum', albumRequests),
    responses: { 201: made('Album', { album: albumAnswers.Album }) },
    places: ['body'],
  },
  'GET /api/v2/albums/:id': {
    id: 'readAlbum',
    tag: 'Albums',
    summary: 'Read an album',
    description: 'What is known of it, and its link.',
    parameters: [albumId],
    responses: { 200: shown('The album.') },
  },
  'PATCH /api/v2/albums/:id': {
    id: 'changeAlbum',
    tag: 'Albums',
    summary: 'Change an album',
    description: 'Its link stays as it is.',
    parameters: [albumId],
    requestBody: jsonBody('AlbumChanges', albumChanges),
    responses: { 200: shown('The changed album.') },
    places: ['body'],
  },
  'DELETE /api/v2/albums/:id': {
    id: 'deleteAlbum',
    tag: 'Albums',
    summary: 'Delete an album',
    description:
      'Its link stops working at once, and upload links into it end. Its uploads stay, in no album.',
    parameters: [albumId],
    responses: { 200: deleted },
  },
  'GET /api/v2/upload_links': {
    id: 'listUploadLinks',
    tag: 'Upload links',
    summary: 'List upload links',
    description: 'The newest come first.',
    query: PageQuery,
    responses: { 200: pageOf('UploadLinkList', albumAnswers.UploadLinkList) },
  },
  'POST /api/v2/upload_links': {
    id: 'createUploadLink',
    tag: 'Upload links',
    summary: 'Make an upload link',
    description:
      'Whoever has it uploads for this account, without a key. Its address is in this response only.',
    parameters: [idempotencyKey],
    requestBody: jsonBody('NewUploadLink', uploadLinkRequests),
    responses: { 201: made('UploadLink', { link: albumAnswers.UploadLink }) },
    places: ['body'],
  },
  'GET /api/v2/upload_links/:id': {
    id: 'readUploadLink',
    tag: 'Upload links',
    summary: 'Read an upload link',
    description: 'How much of it is used.',
    parameters: [linkId],
    responses: { 200: answer('The link.', budgetHeaders, json('UploadLink', shownLink)) },
  },
  'DELETE /api/v2/upload_links/:id': {
    id: 'deleteUploadLink',
    tag: 'Upload links',
    summary: 'End an upload link',
    description: 'It stops working at once; what was uploaded stays.',
    parameters: [linkId],
    responses: { 200: deleted },
  },
  'POST /u/:token': {
    id: 'sendFile',
    tag: 'Upload links',
    summary: 'Send a file through an upload link',
    description:
      'Needs no key. Stores one picture for the account that made the link, without its metadata. Pages of every origin may send files.',
    parameters: [pathParameter('token', 'The token of an upload link.', albumAnswers.UploadLink.token)],
    requestBody: formBody(
      { file: fileOf('A PNG, JPEG, GIF, WebP, SVG or AVIF.') },
      { 'a photo': { file: '@photo.jpg' } },
    ),
    responses: { 201: answer('Stored.', budgetHeaders, json('Upload', { upload: albumAnswers.Sent })) },
    codes: errorsAt(2, 'everywhere', 'elsewhere', 'metered', 'upload').filter(
      (code) => code !== 'unauthorized' && code !== 'forbidden',
    ),
  },
  'GET /a/:slug': {
    id: 'readAlbumFiles',
    tag: 'Hosted',
    summary: 'The page of an album, or all of its files',
    description: 'With .zip after the slug, an archive that is written as it is read. Needs no key.',
    parameters: [pathParameter('slug', 'The slug of an album.', albumAnswers.Album.slug)],
    responses: {
      200: { description: 'The page or the archive.', content: bytes(['text/html', 'application/zip']) },
      404: { description: 'There is nothing, or no longer.' },
    },
    codes: [],
  },
} satisfies Record<string, Operation>;
