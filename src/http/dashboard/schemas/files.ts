// What the pages of uploads and renders send.
import { Type, type Static } from 'typebox';
import { expected } from '#core/keywords.ts';
import { limits } from '#core/limits.ts';
import { uploadOrders } from '#storage/owned/uploads.ts';
import { UploadChanges } from '#http/api/v2/upload-schemas.ts';
import { choice, object, orNull, pageQuery, text, time } from '#http/dashboard/schemas/common.ts';

const uploadsFilter = {
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Part of the filename, at most 100 characters, in any case.',
    }),
  ),
  type: Type.Optional(
    choice(['png', 'jpeg', 'gif', 'webp', 'svg', 'avif'], { description: 'Only images of this type.' }),
  ),
  expiry: Type.Optional(
    choice(['never', 'some', 'soon'], {
      description: 'Only links that never expire, that do, or that expire within seven days.',
    }),
  ),
};
const sort = Type.Optional(
  choice(uploadOrders, {
    default: 'newest',
    description: 'The order. By size and by name, only the newest 20,000 are sorted.',
  }),
);
/** Of the account API. */
export const UploadsQuery = object({ ...pageQuery, ...uploadsFilter, sort });

export const UploadsFilter = object({
  ...uploadsFilter,
  tag: Type.Optional(text(1, 40)),
  album: Type.Optional(text(1, 40)),
  /** Only what was stored before this time: the way to a date. */
  before: Type.Optional(time),
});
export type UploadsFilter = Static<typeof UploadsFilter>;
export const DashboardUploadsQuery = object({ ...pageQuery, ...UploadsFilter.properties, sort });

const ids = {
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
    minItems: 1,
    maxItems: limits.idsPerRequest,
    [expected]: `a list of 1 to ${limits.idsPerRequest} ids`,
  }),
};

/** What changes of one upload. */
export const ChangeUpload = UploadChanges;

/** The expiry of several at once; ids that do not belong to the account are ignored. */
export const ChangeExpiry = object({
  ...ids,
  expires_in: Type.Union(
    [
      Type.Integer({ minimum: limits.expiresInSeconds.min, maximum: limits.expiresInSeconds.max }),
      Type.Null(),
    ],
    {
      [expected]: `an integer from ${limits.expiresInSeconds.min} to ${limits.expiresInSeconds.max} (seconds), or null for none`,
    },
  ),
});
/** Null for none. */
export const MoveUploads = object({ ...ids, album: orNull(text(1, 40)) });
/** They keep the tags that they have. */
export const TagUploads = object({ ...ids, tag: text(1, 40) });

/** Ids separated by commas, as many as fit into one archive. */
export const ZipQuery = object({
  ids: Type.String({ minLength: 1, maxLength: 4_000, description: 'Ids: 1 to 100, with commas between.' }),
});

/** Deletes the ids that belong to the account; 404 when none does. */
export const Ids = object(ids);

const rendersFilter = {
  search: Type.Optional(
    Type.String({ maxLength: 100, description: 'Part of the target address, at most 100 characters.' }),
  ),
  kind: Type.Optional(choice(['screenshot', 'pdf'], { description: 'Only renders of this kind.' })),
  status: Type.Optional(choice(['done', 'failed'], { description: 'Only renders that ended like this.' })),
};
/** Of the account API. */
export const RendersQuery = object({ ...pageQuery, ...rendersFilter });

export const RendersFilter = object({
  ...rendersFilter,
  /** Only what was made before this time: the way to a date. */
  before: Type.Optional(time),
  kind: Type.Optional(
    choice(['screenshot', 'pdf', 'extract'], { description: 'Only renders of this kind.' }),
  ),
});
export const DashboardRendersQuery = object({ ...pageQuery, ...RendersFilter.properties });
