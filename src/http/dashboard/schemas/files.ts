// Overview, uploads and renders.
import { Type, type Static } from 'typebox';
import { limits } from '#core/limits.ts';
import { uploadOrders } from '#storage/owned/uploads.ts';
import {
  choice,
  count,
  id,
  nextCursor,
  orNull,
  pageQuery,
  Plan,
  strict,
  time,
  UnitUsage,
} from '#http/dashboard/schemas/common.ts';

export const Upload = Type.Object(
  {
    id,
    slug: Type.String(),
    url: Type.String(),
    file_url: Type.String(),
    /** A thumbnail, only for the signed-in account. */
    thumbnail_url: Type.String(),
    filename: Type.String(),
    content_type: Type.String(),
    size_bytes: count,
    width: orNull(count),
    height: orNull(count),
    created_at: time,
    expires_at: orNull(time),
    /** Null when it was uploaded in the dashboard. */
    key_id: orNull(id),
  },
  strict,
);
export type Upload = Static<typeof Upload>;

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
export const UploadsQuery = Type.Object(
  {
    ...pageQuery,
    ...uploadsFilter,
    sort: Type.Optional(
      choice(uploadOrders, {
        default: 'newest',
        description: 'The order. By size and by name, only the newest 20,000 are sorted.',
      }),
    ),
  },
  strict,
);
export const UploadsFilter = Type.Object(uploadsFilter, strict);
export type UploadsFilter = Static<typeof UploadsFilter>;
/** Totals of all that match the filter; `is_more` if only the newest 20,000 were counted. */
export const UploadTotals = Type.Object({ files: count, bytes: count, is_more: Type.Boolean() }, strict);
export const Uploads = Type.Object({ items: Type.Array(Upload), next_cursor: nextCursor }, strict);

const ids = {
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
    minItems: 1,
    maxItems: limits.idsPerRequest,
    description: `Ids: a list of 1 to ${limits.idsPerRequest} ids.`,
  }),
};

/** Seconds from now, or null for none; the plan's limit counts from the time of upload. */
export const ChangeUpload = Type.Object(
  {
    expires_in: Type.Union(
      [
        Type.Integer({ minimum: limits.expiresInSeconds.min, maximum: limits.expiresInSeconds.max }),
        Type.Null(),
      ],
      {
        description: `Expiry: an integer from ${limits.expiresInSeconds.min} to ${limits.expiresInSeconds.max} (seconds), or null for none.`,
      },
    ),
  },
  strict,
);

/** The same for several at once; ids that do not belong to the account are ignored. */
export const ChangeUploads = Type.Object({ ...ids, ...ChangeUpload.properties }, strict);
export const ChangedUploads = Type.Object({ changed: Type.Array(id) }, strict);

/** Ids separated by commas, as many as fit into one archive. */
export const ZipQuery = Type.Object(
  {
    ids: Type.String({ minLength: 1, maxLength: 4_000, description: 'Ids: 1 to 100, with commas between.' }),
  },
  strict,
);

/** Deletes the ids that belong to the account; 404 when none does. */
export const Ids = Type.Object(ids, strict);
export const Deleted = Type.Object({ deleted: Type.Array(id) }, strict);
export const Restored = Type.Object({ restored: Type.Array(id) }, strict);

/** Deletions that can still be undone, newest first. */
export const DeletedUploads = Type.Object(
  {
    items: Type.Array(
      Type.Object({ id, filename: Type.String(), size_bytes: count, restorable_until: time }, strict),
    ),
  },
  strict,
);

export const Render = Type.Object(
  {
    id,
    kind: choice(['screenshot', 'pdf']),
    target: Type.String(),
    status: choice(['done', 'failed']),
    /** Why it failed. */
    failure: orNull(Type.String()),
    content_type: Type.String(),
    size_bytes: orNull(count),
    duration_ms: orNull(count),
    /** The fields of the request, without its url. */
    options: Type.Record(Type.String(), Type.Unknown()),
    /** Where it is hosted; null when it was requested as bytes, failed or expired. */
    url: orNull(Type.String()),
    /** A thumbnail, only for the signed-in account; null for a PDF and if nothing is hosted. */
    thumbnail_url: orNull(Type.String()),
    created_at: time,
    expires_at: orNull(time),
    key_id: orNull(id),
  },
  strict,
);
export type Render = Static<typeof Render>;

export const RendersQuery = Type.Object(
  {
    ...pageQuery,
    search: Type.Optional(
      Type.String({ maxLength: 100, description: 'Part of the target address, at most 100 characters.' }),
    ),
    kind: Type.Optional(choice(['screenshot', 'pdf'], { description: 'Only renders of this kind.' })),
    status: Type.Optional(choice(['done', 'failed'], { description: 'Only renders that ended like this.' })),
  },
  strict,
);
export const Renders = Type.Object({ items: Type.Array(Render), next_cursor: nextCursor }, strict);

export const Overview = Type.Object(
  {
    plan: Plan,
    /** Such as 2026-11, UTC. */
    month: Type.String(),
    resets_at: time,
    units: Type.Object({ upload: UnitUsage, render: UnitUsage }, strict),
    /** For the current minute. */
    requests: Type.Object({ limit: count, used: count, reset_seconds: count }, strict),
    first_steps: Type.Object(
      {
        has_password: Type.Boolean(),
        is_verified: Type.Boolean(),
        has_key: Type.Boolean(),
        has_used_key: Type.Boolean(),
        has_upload: Type.Boolean(),
        has_render: Type.Boolean(),
      },
      strict,
    ),
    recent_uploads: Type.Array(Upload),
    recent_renders: Type.Array(Render),
  },
  strict,
);
