// What the pages of uploads and renders send.
import { Type, type Static } from 'typebox';
import { limits } from '#core/limits.ts';
import { uploadOrders } from '#storage/owned/uploads.ts';
import { choice, object, pageQuery } from '#http/dashboard/schemas/common.ts';

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
export const UploadsQuery = object({
  ...pageQuery,
  ...uploadsFilter,
  sort: Type.Optional(
    choice(uploadOrders, {
      default: 'newest',
      description: 'The order. By size and by name, only the newest 20,000 are sorted.',
    }),
  ),
});
export const UploadsFilter = object(uploadsFilter);
export type UploadsFilter = Static<typeof UploadsFilter>;

const ids = {
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
    minItems: 1,
    maxItems: limits.idsPerRequest,
    description: `Ids: a list of 1 to ${limits.idsPerRequest} ids.`,
  }),
};

/** Seconds from now, or null for none; the plan's limit counts from the time of upload. */
export const ChangeUpload = object({
  expires_in: Type.Union(
    [
      Type.Integer({ minimum: limits.expiresInSeconds.min, maximum: limits.expiresInSeconds.max }),
      Type.Null(),
    ],
    {
      description: `Expiry: an integer from ${limits.expiresInSeconds.min} to ${limits.expiresInSeconds.max} (seconds), or null for none.`,
    },
  ),
});

/** The same for several at once; ids that do not belong to the account are ignored. */
export const ChangeUploads = object({ ...ids, ...ChangeUpload.properties });

/** Ids separated by commas, as many as fit into one archive. */
export const ZipQuery = object({
  ids: Type.String({ minLength: 1, maxLength: 4_000, description: 'Ids: 1 to 100, with commas between.' }),
});

/** Deletes the ids that belong to the account; 404 when none does. */
export const Ids = object(ids);

const rendersQuery = {
  ...pageQuery,
  search: Type.Optional(
    Type.String({ maxLength: 100, description: 'Part of the target address, at most 100 characters.' }),
  ),
  kind: Type.Optional(choice(['screenshot', 'pdf'], { description: 'Only renders of this kind.' })),
  status: Type.Optional(choice(['done', 'failed'], { description: 'Only renders that ended like this.' })),
};
/** Of the account API. */
export const RendersQuery = object(rendersQuery);
export const DashboardRendersQuery = object({
  ...rendersQuery,
  kind: Type.Optional(
    choice(['screenshot', 'pdf', 'extract'], { description: 'Only renders of this kind.' }),
  ),
});
