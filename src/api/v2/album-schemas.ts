// Albums and upload links as schemas. Spec 10.12, 10.13.
import { Type, type Static } from 'typebox';
import { limits } from '#core/limits.ts';
import { optional, strict, text, integer } from '#api/fields.ts';
import { orNull } from '#api/v2/schemas.ts';
import { newLife, seconds } from '#api/v2/upload-schemas.ts';

const size = (most: number) => ({ minLength: 1, maxLength: most });
const uri = { format: 'uri' };
const time = { format: 'date-time' };

const titleCharacters = 200;
const descriptionCharacters = 2_000;

export const NewAlbum = Type.Object(
  optional({
    title: text(titleCharacters, 'What the album is called.'),
    description: text(descriptionCharacters, 'A text below the title; its lines stay lines.'),
    expires_in: Type.Integer({
      ...seconds,
      description: 'How long the link of the album lives, in seconds; its uploads stay.',
    }),
  }),
  strict,
);
export type NewAlbum = Static<typeof NewAlbum>;

export const AlbumChanges = Type.Object(
  optional({
    title: orNull(
      'string',
      `A title of 1 to ${titleCharacters} characters; null for none.`,
      size(titleCharacters),
    ),
    description: orNull(
      'string',
      `A description of 1 to ${descriptionCharacters} characters; null for none.`,
      size(descriptionCharacters),
    ),
    expires_in: newLife,
  }),
  { ...strict, description: 'What is to change; a field that is left out stays as it is.' },
);
export type AlbumChanges = Static<typeof AlbumChanges>;

export const Album = Type.Object(
  {
    id: Type.String({ description: 'The id of the album: the `album` of its uploads.' }),
    slug: Type.String({ description: 'The short name in its links.' }),
    url: Type.String({ ...uri, description: 'The page; with `.zip` after it, all files as an archive.' }),
    title: orNull('string', 'The title.'),
    description: orNull('string', 'The description.'),
    count: Type.Integer({ minimum: 0, description: 'The number of its uploads.' }),
    cover_url: orNull('string', 'The bytes of its first upload; null if it is empty.', uri),
    created_at: Type.String({ ...time, description: 'When it was made.' }),
    expires_at: orNull('string', 'When the link expires; null for never.', time),
  },
  { ...strict, description: 'An album. Every field is always there.' },
);
export type Album = Static<typeof Album>;

export const NewUploadLink = Type.Object(
  optional({
    max_files: integer(1, 1_000, 'How many files it takes.', { default: 1 }),
    max_bytes: integer(1, limits.fileBytes, 'The largest file, in bytes.', { default: limits.fileBytes }),
    expires_in: Type.Integer({
      ...seconds,
      default: 3_600,
      description: 'How long the link lives, in seconds.',
    }),
    album: text(40, 'The id of the album that its uploads go into; the link ends with it.'),
    title: text(titleCharacters, 'What people see above the place to drop files.'),
  }),
  strict,
);
export type NewUploadLink = Static<typeof NewUploadLink>;

export const UploadLink = Type.Object(
  {
    id: Type.String({ description: 'The id of the link.' }),
    url: orNull(
      'string',
      'The page to drop files on, which also takes them by POST; a secret, null after the response that made it.',
      uri,
    ),
    token: orNull(
      'string',
      'The last part of the address; a secret, null after the response that made the link.',
    ),
    title: orNull('string', 'The title.'),
    album: orNull('string', 'The id of the album that its uploads go into; null if there is none.'),
    max_files: Type.Integer({ description: 'How many files it takes.' }),
    max_bytes: Type.Integer({ description: 'The largest file, in bytes.' }),
    used_files: Type.Integer({ minimum: 0, description: 'How many it has taken.' }),
    used_bytes: Type.Integer({ minimum: 0, description: 'The size of these files as stored, in bytes.' }),
    created_at: Type.String({ ...time, description: 'When it was made.' }),
    expires_at: Type.String({ ...time, description: 'When it expires.' }),
  },
  { ...strict, description: 'An upload link. Every field is always there.' },
);
export type UploadLink = Static<typeof UploadLink>;

const listOf = <T extends typeof Album | typeof UploadLink>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item, { description: 'The newest first.' }),
      next_cursor: orNull('string', 'The cursor of the next page; null on the last one.'),
    },
    strict,
  );
export const AlbumList = listOf(Album);
export const UploadLinkList = listOf(UploadLink);

export const PageQuery = Type.Object(
  optional({
    limit: integer(1, 100, 'Items on a page.', { default: 50 }),
    cursor: text(200, 'The next_cursor of the page before.'),
  }),
  strict,
);
