// A page of an account's uploads, for its programs and for the dashboard.
import type { Static } from 'typebox';
import { pageOptions } from '#storage/owned/cursor.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { UploadFilter } from '#storage/owned/uploads.ts';
import type { UploadRow } from '#storage/schema.ts';
import { imageExtensions, type ImageType } from '#uploads/image-types.ts';
import type { UploadsQuery } from '#api/account/queries.ts';
import { toPage } from '#api/common-views.ts';

const soonMs = 7 * 24 * 60 * 60 * 1000;

/** What a list can be asked for: the dashboard knows tags, albums and a time besides. */
interface AskedUploads extends Static<typeof UploadsQuery> {
  tag?: string;
  album?: string;
  before?: string;
}

/** Newest first, unless it is asked for otherwise. */
export async function listUploads<View>(
  view: (row: UploadRow) => View,
  owned: Owned,
  query: AskedUploads,
  now: number,
) {
  const filter = uploadFilterOf(query, now);
  const { sort = 'newest' } = query;
  const whole = pageOptions(query);
  const page = sort === 'newest' ? await owned.uploads.bounded(filter, whole) : whole;
  const rows = await owned.uploads.page(filter, page, now, sort);
  return toPage(rows, page, view);
}

export function uploadFilterOf(
  { search, type, expiry, tag, album, before }: AskedUploads,
  now: number,
): UploadFilter {
  return {
    search,
    tag,
    albumId: album,
    before: before === undefined ? undefined : Date.parse(before),
    contentType: type && contentTypeOf(type),
    expiry: expiry === 'soon' ? { before: now + soonMs } : expiry,
  };
}

function contentTypeOf(extension: string): ImageType | undefined {
  return (Object.keys(imageExtensions) as ImageType[]).find((type) =>
    (imageExtensions[type] as readonly string[]).includes(extension),
  );
}
