// The request log, for the account's owner.
import { pageOptions } from '#storage/owned/cursor.ts';
import type { RequestLogRow } from '#storage/schema.ts';
import { kindOfRequest } from '#metering/request-kinds.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { isoTime, toPage } from '#api/common-views.ts';

const spans = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

export function requestsHandlers({ clock, metering }: DashboardParts) {
  return {
    async 'GET /requests'({ owned, query }) {
      await metering.requestLog.flush();
      const page = pageOptions(query);
      const { outcome, path, within, since, until, key_id: keyId, search } = query;
      const rows = await owned.requests.page(
        {
          outcome,
          path,
          since: within ? clock.now() - spans[within] : timeOf(since),
          until: timeOf(until),
          keyId,
          id: search?.trim(),
        },
        page,
      );
      const names = new Map((await owned.keys.list()).map(({ id, name }) => [id, name]));
      const targets = await owned.renders.targets(rows.flatMap(madeBy));
      return toPage(rows, page, (row) => requestView(row, names, targets));
    },
  } satisfies Partial<Handlers>;
}

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

const madeBy = ({ made }: RequestLogRow): string[] => made?.split(',') ?? [];

function requestView(row: RequestLogRow, keyNames: Map<string, string>, targets: Map<string, string>) {
  const { id, created_at, path, status, code, reason, field, key_id, duration_ms, phases } = row;
  const kind = kindOfRequest(row);
  return {
    request_id: id,
    at: isoTime(created_at),
    path,
    kind,
    status,
    code,
    reason,
    field,
    key_id,
    key_name: key_id === null ? null : (keyNames.get(key_id) ?? null),
    duration_ms,
    phases: Object.entries(JSON.parse(phases ?? '{}') as Record<string, number>).map(([name, ms]) => ({
      name,
      ms,
    })),
    made: madeBy(row).map((madeId) => ({
      kind: kind === 'upload' ? ('upload' as const) : ('render' as const),
      id: madeId,
      /** The address of the page; null for an upload, and for a render that is gone. */
      target: targets.get(madeId) ?? null,
    })),
  };
}
