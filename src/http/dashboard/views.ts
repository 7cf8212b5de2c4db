// Rows as the dashboard shows them, and opaque cursors.
import { invalid } from '#core/errors.ts';
import type { ApiKeyRow, RenderRow, Unit, UploadRow } from '#storage/schema.ts';
import type { Cursor, PageOptions } from '#storage/owned/page.ts';
import { isPicture } from '#uploads/thumbnail.ts';
import { renderPath, uploadLinks, type Addresses } from '#http/links.ts';
import { dashboardPath } from '#http/dashboard/paths.ts';

export const isoTime = (at: number): string => new Date(at).toISOString();
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));

export type Upload = ReturnType<typeof uploadView>;

export function uploadView(addresses: Addresses, row: UploadRow) {
  const { id, slug, filename, content_type, size_bytes, width, height, key_id } = row;
  return {
    id,
    slug,
    ...uploadLinks(addresses, slug),
    /** Only for the signed-in account. */
    thumbnail_url: `${dashboardPath}/uploads/${id}/thumbnail`,
    filename,
    content_type,
    size_bytes,
    width,
    height,
    created_at: isoTime(row.created_at),
    expires_at: isoTimeOrNull(row.expires_at),
    /** Null when it was uploaded in the dashboard. */
    key_id,
  };
}

export type Render = ReturnType<typeof renderView>;

export function renderView(
  { contentBaseUrl }: Pick<Addresses, 'contentBaseUrl'>,
  row: RenderRow,
  now: number,
) {
  const { id, kind, target, failure, content_type, size_bytes, duration_ms, key_id } = row;
  const isShown = row.hosted === 1 && (row.expires_at === null || row.expires_at > now);
  return {
    id,
    kind,
    target,
    status: failure === null ? ('done' as const) : ('failed' as const),
    failure,
    content_type,
    size_bytes,
    duration_ms,
    /** The fields of the request, without its url. */
    options: JSON.parse(row.options) as Record<string, unknown>,
    /** Where it is hosted; null when it was requested as bytes, failed or expired. */
    url: isShown ? contentBaseUrl + renderPath(kind, id) : null,
    thumbnail_url: isShown && isPicture(row) ? `${dashboardPath}/renders/${id}/thumbnail` : null,
    created_at: isoTime(row.created_at),
    // Bytes kept only for a replay expire too, but nobody can see them.
    expires_at: isShown ? isoTimeOrNull(row.expires_at) : null,
    key_id,
  };
}

export const passkeyView = (row: { id: string; name?: string | null; createdAt: Date }) => ({
  id: row.id,
  name: row.name ?? 'Passkey',
  created_at: row.createdAt.toISOString(),
});

export type Key = ReturnType<typeof keyView>;

/** `uses`: units over the last 30 days. */
export function keyView(row: ApiKeyRow, uses: Record<Unit, number>, now: number) {
  const { id, name, display, scope, created_at, last_used_at, revoked_at, expires_at } = row;
  const ends = Math.min(revoked_at ?? Infinity, expires_at ?? Infinity);
  return {
    id,
    name,
    /** First and last characters. */
    display,
    created_at: isoTime(created_at),
    last_used_at: isoTimeOrNull(last_used_at),
    scope,
    expires_at: isoTimeOrNull(expires_at),
    state: stateOf(row, now),
    ends_at: isoTimeOrNull(ends === Infinity ? null : ends),
    uses,
  };
}

/** `ending`: rotated; works until `ends_at`. */
function stateOf({ revoked_at, expires_at }: ApiKeyRow, now: number) {
  if (revoked_at !== null && revoked_at <= now) return 'revoked';
  if (expires_at !== null && expires_at <= now) return 'expired';
  return revoked_at === null ? 'active' : 'ending';
}

/** One row more than requested shows whether there is another page. */
export const pageOptions = ({ cursor, limit = 50 }: { cursor?: string; limit?: number }): PageOptions => ({
  after: cursor === undefined ? undefined : parseCursor(cursor),
  limit: limit + 1,
});

export function toPage<Row extends { created_at: number; id: string }, View>(
  rows: Row[],
  { limit }: PageOptions,
  view: (row: Row) => View,
): { items: View[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit - 1);
  const last = shown.at(-1);
  return {
    items: shown.map(view),
    next_cursor: rows.length === limit && last ? `${last.created_at.toString(36)}-${last.id}` : null,
  };
}

function parseCursor(text: string): Cursor {
  const [, time, id] = /^([0-9a-z]{1,10})-([0-9A-Za-z]{1,40})$/.exec(text) ?? [];
  if (time === undefined || id === undefined)
    throw invalid('cursor', 'invalid; use the next_cursor of a previous response');
  return { createdAt: Number.parseInt(time, 36), id };
}
