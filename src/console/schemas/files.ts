// What the pages of uploads and renders send.
import { Type } from 'typebox';
import { expected } from '#core/keywords.ts';
import { limits } from '#core/limits.ts';
import { rendersFilter, uploadOrder, uploadsFilter } from '#api/account/queries.ts';
import { UploadChanges } from '#api/v2/upload-schemas.ts';
import { choice, object, orNull, pageQuery, text, time } from '#api/common-schemas.ts';

export const UploadsFilter = object({
  ...uploadsFilter,
  tag: Type.Optional(text(1, 40)),
  album: Type.Optional(text(1, 40)),
  /** Only what was stored before this time: the way to a date. */
  before: Type.Optional(time),
});
export const DashboardUploadsQuery = object({ ...pageQuery, ...UploadsFilter.properties, sort: uploadOrder });

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

export const RendersFilter = object({
  ...rendersFilter,
  /** Only what was made before this time: the way to a date. */
  before: Type.Optional(time),
  kind: Type.Optional(
    choice(['screenshot', 'pdf', 'extract'], { description: 'Only renders of this kind.' }),
  ),
});
export const DashboardRendersQuery = object({ ...pageQuery, ...RendersFilter.properties });
