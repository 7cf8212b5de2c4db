// The uploads of version 2 and the usage of an account as schemas. Spec 10.8, 10.9.
import { Type, type Static } from 'typebox';
import { expected } from '#core/keywords.ts';
import { limits } from '#core/limits.ts';
import { metadataKinds } from '#uploads/metadata/cleaning.ts';
import { imageNames } from '#uploads/image-types.ts';
import { maxTags } from '#uploads/labels.ts';
import { choice, optional, saying, strict, text, integer } from '#api/fields.ts';
import { createdBetween } from '#api/v2/created-between.ts';
import { orNull } from '#api/v2/schemas.ts';

/** How long a link lives. */
export const seconds = { minimum: limits.expiresInSeconds.min, maximum: limits.expiresInSeconds.max };
/** The life of a link that there is already. */
export const newLife = orNull(
  'integer',
  saying(
    'Seconds until the link expires, from now',
    `an integer from ${seconds.minimum} to ${seconds.maximum}, or null for never`,
  ),
  seconds,
);

const passwordLength = { minLength: 1, maxLength: 200 };
const views = { minimum: 1, maximum: 1_000_000 };
const viewsOrNone = `an integer from ${views.minimum} to ${views.maximum}, or null for no limit`;

const filename = text(255, 'The filename instead of the one of the file; it is sanitized.');
const title = text(200, 'A title.');
const tagsOf = (description: string) => Type.Array(text(40, 'A tag.'), { maxItems: maxTags, description });
const tags = tagsOf('Words to find it by.');

const album = text(40, 'The id of the album that it is in.');

/** The fields of the form beside the file. */
export const UploadFields = Type.Object(
  optional({
    expires_in: Type.Integer({ ...seconds, description: 'How long the link lives, in seconds.' }),
    filename,
    title,
    tags: tagsOf('Words to find it by; in a form, a part for each.'),
    album,
    strip_metadata: Type.Boolean({
      default: true,
      description: 'Remove place, camera, time and the like from the file; its pixels stay as they are.',
    }),
    password: Type.String({
      ...passwordLength,
      writeOnly: true,
      description: 'The password that visitors need to see the picture.',
    }),
    max_views: Type.Integer({
      ...views,
      description:
        'How often visitors can be shown the picture; then the link ends, and the upload stays for its owner.',
    }),
  }),
  strict,
);
export type UploadFields = Static<typeof UploadFields>;

/** The JSON of an upload from an address. */
export const UploadFromUrl = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      format: 'uri',
      description:
        'The address of a picture of at most 10 MB: http or https, public, answered with 200. Redirects are not followed.',
    }),
    ...UploadFields.properties,
    tags: Type.Optional(tags),
  },
  strict,
);

export const UploadChanges = Type.Object(
  optional({
    filename,
    title: orNull('string', 'A title of 1 to 200 characters; null for none.', {
      minLength: 1,
      maxLength: 200,
    }),
    tags,
    album: orNull('string', 'The id of an album; null for none.', { minLength: 1, maxLength: 40 }),
    expires_in: newLife,
    password: orNull(
      'string',
      saying('Visitors must know it to see the picture', 'a string of 1 to 200 characters, or null for none'),
      { ...passwordLength, writeOnly: true },
    ),
    max_views: orNull(
      'integer',
      {
        [expected]: viewsOrNone,
        description: `How often visitors can be shown the picture, those that it has had included: ${viewsOrNone}. A larger number opens a link again that has ended.`,
      },
      views,
    ),
  }),
  { ...strict, description: 'What is to change; a field that is left out stays as it is.' },
);
export type UploadChanges = Static<typeof UploadChanges>;

const uri = { format: 'uri' };

export const Upload = Type.Object(
  {
    id: Type.String({ description: 'The id of the upload.' }),
    slug: Type.String({ description: 'The short name in its links.' }),
    url: Type.String({ ...uri, description: 'The share page.' }),
    file_url: Type.String({ ...uri, description: 'The bytes.' }),
    delete_url: orNull(
      'string',
      'Deletes the upload without a key, so it is a secret; null after the response to the upload.',
      uri,
    ),
    expires_at: orNull('string', 'When the link expires; null for never.', { format: 'date-time' }),
    size_bytes: Type.Integer({ description: 'The size of what is stored.' }),
    content_type: choice(Object.keys(imageNames), { description: 'Detected from the bytes.' }),
    filename: Type.String({ description: 'As stored, sanitized.' }),
    width: orNull('integer', 'In pixels; null if it is not known.'),
    height: orNull('integer', 'In pixels; null if it is not known.'),
    sha256: Type.String({ description: 'The SHA-256 of what is stored, in hex.' }),
    title: orNull('string', 'The title.'),
    tags: Type.Array(Type.String(), { description: 'The tags, each once.' }),
    album: orNull('string', 'The id of its album; null if it is in none.'),
    metadata_removed: Type.Array(choice(metadataKinds, { description: 'A kind of metadata.' }), {
      description: 'What was found and removed when it was stored.',
    }),
    created_at: Type.String({ format: 'date-time', description: 'When it was stored.' }),
    has_password: Type.Boolean({ description: 'Whether visitors must know a password.' }),
    max_views: orNull('integer', 'How often visitors can be shown it; null for no limit.'),
    views: Type.Integer({
      description:
        'How often visitors asked to see it, with its password or one of its views, and were shown it. At `max_views` its link has ended.',
    }),
  },
  { ...strict, description: 'An upload. Every field is always there.' },
);
export type Upload = Static<typeof Upload>;

export const UploadList = Type.Object(
  {
    items: Type.Array(Upload, { description: 'The newest first.' }),
    next_cursor: orNull('string', 'The cursor of the next page; null on the last one.'),
  },
  strict,
);

export const UploadsQuery = Type.Object(
  optional({
    search: text(200, 'A part of the filename or the title.'),
    tag: text(40, 'Only uploads with this tag.'),
    album: text(40, 'Only uploads in the album with this id.'),
    sha256: Type.String({
      pattern: '^[0-9A-Fa-f]{64}$',
      ...saying('Only uploads whose stored bytes have this SHA-256', '64 hexadecimal digits'),
    }),
    ...createdBetween,
    limit: integer(1, 100, 'Uploads on a page.', { default: 50 }),
    cursor: text(200, 'The next_cursor of the page before.'),
  }),
  strict,
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

const UnitUsage = (unit: string) =>
  Type.Object(
    {
      used: count('Units used this month.'),
      limit: count('Units of the plan per month.'),
      percent: count('The whole-number percentage of the limit that is used.'),
      overage: count('Units past the limit, which are billed.'),
    },
    { ...strict, description: `The ${unit} units.` },
  );

export const Usage = Type.Object(
  {
    month: Type.String({ description: 'Such as 2026-11, UTC.' }),
    resets_at: Type.String({ format: 'date-time', description: 'When the next month begins.' }),
    upload: UnitUsage('upload'),
    render: UnitUsage('render'),
    requests: Type.Object(
      {
        limit: count('Requests per minute.'),
        remaining: count('Requests left in this window.'),
        reset: count('Seconds until the window ends.'),
      },
      { ...strict, description: 'The budget of requests.' },
    ),
    renders: Type.Object(
      {
        running: count('Renders that hold a capture slot.'),
        queued: count('Renders that wait to run.'),
        cap: count('Renders that may run at the same time.'),
      },
      { ...strict, description: 'Renders at this moment.' },
    ),
  },
  { ...strict, description: 'What the account has used.' },
);
export type Usage = Static<typeof Usage>;
