// Rows as the dashboard shows them.
import type { ApiKeyRow, RenderRow, RenderState, Unit, UploadRow } from '#storage/schema.ts';
import { maxOriginalBytes, type Original, sizeOf } from '#uploads/pictures/variant.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import { isGuarded } from '#uploads/upload-access.ts';
import { isExtract } from '#renders/output-files.ts';
import { originalOf, outputsOf, receiptOf, stateOf as renderStateOf } from '#renders/stored-render.ts';
import { accountRenderView, mainOf, shownOutputs } from '#api/account/renders.ts';
import { isoTime, isoTimeOrNull } from '#api/common-views.ts';
import { uploadOf } from '#api/v2/uploads.ts';
import { renderPath, sharePath, type Addresses } from '#http/addresses.ts';
import { ticketQuery, withQuery } from '#site/hosted/tickets.ts';
import { dashboardPath } from '#console/paths.ts';

export type Upload = ReturnType<ReturnType<typeof createUploadViews>>;

/** As its owner sees it in the dashboard, who is asked for nothing. */
export function createUploadViews({
  settings,
  uploads,
}: {
  settings: Addresses;
  uploads: Pick<UploadsRoom, 'uploadAccess'>;
}) {
  return (row: UploadRow) => {
    const {
      delete_url: _secret,
      sha256: _hash,
      metadata_removed: _removed,
      ...view
    } = uploadOf(settings, row);
    const ticket = ticketQuery(uploads.uploadAccess.ticketFor(row));
    return {
      ...view,
      /** Null when it was uploaded in the dashboard. */
      key_id: row.key_id,
      /** Only for the signed-in account. */
      thumbnail_url: `${dashboardPath}/uploads/${row.id}/thumbnail`,
      /** The bytes, for a quarter of an hour if it is guarded. */
      preview_url: withQuery(view.file_url, ticket),
      download_url: withQuery(view.file_url, 'download=1', ticket),
      /** Whether visitors must know a password or are counted. */
      guarded: isGuarded(row),
    };
  };
}

export type Render = ReturnType<typeof renderView>;

/** `queued` has the ids of those that wait for their turn. */
export function renderView(
  addresses: Addresses,
  row: RenderRow,
  now: number,
  queued: ReadonlySet<string> = new Set(),
) {
  const outputs = shownOutputs(row, now);
  const main = mainOf(outputs);
  const { version, source, page } = receiptOf(row);
  const made = mainOf(outputsOf(row));
  return {
    ...accountRenderView(addresses, row, now),
    status: statuses[renderStateOf(row, queued)],
    /** The version of the interface that was asked for it. */
    version,
    source,
    reference: row.reference,
    units: row.units,
    /** The title of the page; null if it has none. */
    title: page?.title || null,
    /** The size of the picture itself, in pixels; null if there is none. */
    size: (made && sizeOf(made)) ?? null,
    /** How many pages the PDF has. */
    pages: made?.pages ?? null,
    /** Whether its bytes are kept, so that it can get a link. */
    can_be_hosted: row.hosted === 0 && row.expires_at !== null && row.expires_at > now,
    /** The page that shows its picture or PDF; null if none is hosted. */
    share_url: main && !isExtract(main.format) ? addresses.baseUrl + sharePath(main.id) : null,
    thumbnail_url: pictureOf(row, now) ? `${dashboardPath}/renders/${row.id}/thumbnail` : null,
    formats: outputsOf(row).map(({ format }) => format),
    /** What is hosted of it. */
    outputs: outputs.map(({ id, format, sizeBytes, width, height, pages, truncated }) => ({
      format,
      url: addresses.contentBaseUrl + renderPath(format, id),
      size_bytes: sizeBytes,
      width,
      height,
      pages,
      truncated,
    })),
  };
}

const statuses = {
  queued: 'queued',
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  canceled: 'canceled',
} as const satisfies Record<RenderState, string>;

/** The first hosted picture of a render that is not too large to be shown in a list. */
export function pictureOf(row: RenderRow, now: number): (Original & { url: string }) | undefined {
  const shown = shownOutputs(row, now).find(
    ({ contentType, sizeBytes }) => contentType.startsWith('image/') && sizeBytes <= maxOriginalBytes,
  );
  return shown && { ...originalOf({ render: row, output: shown }), url: renderPath(shown.format, shown.id) };
}

export const passkeyView = (row: { id: string; name?: string | null; createdAt: Date }) => ({
  id: row.id,
  name: row.name ?? 'Passkey',
  created_at: row.createdAt.toISOString(),
});

export type Key = ReturnType<typeof keyView>;

const noUnits = { upload: 0, render: 0 };
export const unusedKey: KeyUses = { uses: noUnits, month: noUnits };

export interface KeyUses {
  uses: Record<Unit, number>;
  month: Record<Unit, number>;
}

/** `uses`: units over the last 30 days. `month`: units of this month, which count against the key's own quota. */
export function keyView(row: ApiKeyRow, { uses, month }: KeyUses, now: number) {
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
    month,
    /** Its own quota; null if it has none. */
    uploads_per_month: row.uploads_per_month,
    renders_per_month: row.renders_per_month,
  };
}

/** `ending`: rotated; works until `ends_at`. */
function stateOf({ revoked_at, expires_at }: ApiKeyRow, now: number) {
  if (revoked_at !== null && revoked_at <= now) return 'revoked';
  if (expires_at !== null && expires_at <= now) return 'expired';
  return revoked_at === null ? 'active' : 'ending';
}
