// The renders of an account, as its programs see them.
import type { Static } from 'typebox';
import { pageOptions } from '#storage/owned/cursor.ts';
import type { Owned } from '#storage/owned/owned.ts';
import type { RenderFilter } from '#storage/owned/renders.ts';
import type { RenderKind, RenderRow } from '#storage/schema.ts';
import { isExtract } from '#renders/output-files.ts';
import { outputsOf, type StoredOutput } from '#renders/stored-render.ts';
import type { RendersQuery } from '#api/account/queries.ts';
import { isoTime, isoTimeOrNull, toPage } from '#api/common-views.ts';
import { renderPath, type Addresses } from '#http/addresses.ts';

/** A page of the account's renders, newest first: of screenshots and PDFs only, for extracts are version 2's. */
export async function listAccountRenders(
  addresses: Pick<Addresses, 'contentBaseUrl'>,
  owned: Owned,
  query: Static<typeof RendersQuery>,
  now: number,
) {
  const kinds: RenderKind[] = query.kind === undefined ? ['screenshot', 'pdf'] : [query.kind];
  const filter = { ...renderFilterOf(query), kinds, isEnded: true };
  const page = await owned.renders.bounded(filter, pageOptions(query));
  const rows = await owned.renders.page(filter, page, now);
  return toPage(rows, page, (row) => accountRenderView(addresses, row, now));
}

/** What a list can be asked for: the dashboard knows more kinds, and a time. */
interface AskedRenders extends Omit<Static<typeof RendersQuery>, 'kind'> {
  kind?: RenderKind;
  before?: string;
}

export const renderFilterOf = ({ search, kind, status, before }: AskedRenders): RenderFilter => ({
  search,
  kinds: kind && [kind],
  status,
  before: before === undefined ? undefined : Date.parse(before),
});

/** The fields of this interface are fixed. */
export function accountRenderView(
  { contentBaseUrl }: Pick<Addresses, 'contentBaseUrl'>,
  row: RenderRow,
  now: number,
) {
  const { id, kind, target, failure, content_type, size_bytes, duration_ms, key_id } = row;
  const main = mainOf(shownOutputs(row, now));
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
    /** Where its picture or PDF is hosted; null when it was requested as bytes, failed or expired. */
    url: main ? contentBaseUrl + renderPath(main.format, main.id) : null,
    created_at: isoTime(row.created_at),
    // Bytes kept only for a replay expire too, but nobody can see them.
    expires_at: main ? isoTimeOrNull(row.expires_at) : null,
    key_id,
  };
}

export const shownOutputs = (row: RenderRow, now: number): StoredOutput[] =>
  row.hosted === 1 && (row.expires_at === null || row.expires_at > now) ? outputsOf(row) : [];

/** The picture or PDF that decides the kind of a render, or the first extract if there is none. */
export const mainOf = (outputs: StoredOutput[]): StoredOutput | undefined =>
  outputs.find(({ format }) => !isExtract(format)) ?? outputs[0];
