// The request log summed by day: adds rows to the sums, and estimates response times from their buckets.
import {
  latencyBoundsMs,
  type RequestDayRow,
  type RequestKind,
  type RequestLogRow,
  type TookColumn,
} from '#storage/schema.ts';
import { tookColumns } from '#storage/tables/request-days.ts';
import { dayOf } from '#storage/tables/usage.ts';
import { kindOfDay, kindOfRequest } from '#metering/request-kinds.ts';

/** One row for each day, key and kind, in the same order on every machine. */
export function sumByDay(rows: RequestLogRow[]): RequestDayRow[] {
  const days = new Map<string, RequestDayRow>();
  for (const row of rows) {
    const { account_id, created_at, key_id, status, duration_ms } = row;
    const day = dayOf(created_at);
    const kind = kindOfRequest(row);
    const name = `${account_id} ${day} ${key_id ?? ''} ${kind}`;
    let sum = days.get(name);
    if (!sum) days.set(name, (sum = emptyDay({ account_id, day, key_id: key_id ?? '', path: kind })));
    if (status >= 500) sum.failed += 1;
    else if (status >= 400) sum.refused += 1;
    else sum[bucketOf(duration_ms)] += 1;
  }
  return [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

export const succeededOf = (row: RequestDayRow): number =>
  tookColumns.reduce((sum, column) => sum + row[column], 0);

/** The response time that this share of the successful requests stayed within (a percentile), as exact as the buckets allow. */
export function answerTimeMs(rows: RequestDayRow[], share: number): number | null {
  const counts = tookColumns.map((column) => rows.reduce((sum, row) => sum + row[column], 0));
  const wanted = counts.reduce((sum, count) => sum + count, 0) * share;
  if (wanted === 0) return null;
  let before = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = latencyBoundsMs[index - 1] ?? 0;
      // The last bucket has no upper bound.
      const to = latencyBoundsMs[index] ?? from;
      return Math.round(from + ((to - from) * (wanted - before)) / count);
    }
    before += count;
  }
  return null;
}

export interface StepOfRequests {
  kind: RequestKind;
  /** The first day of the step. */
  day: number;
  succeeded: number;
  refused: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

/** Steps of `stepDays` days, counted back from the last day, so that the newest step is complete. Steps without requests are left out. */
export function requestSteps(
  rows: RequestDayRow[],
  { fromDay, toDay, stepDays }: { fromDay: number; toDay: number; stepDays: number },
): StepOfRequests[] {
  const steps = Map.groupBy(rows, (row) => `${Math.floor((toDay - row.day) / stepDays)} ${kindOfDay(row)}`);
  return [...steps].map(([name, group]) => {
    const [stepsBack = '', kind] = name.split(' ');
    return {
      kind: kind as RequestKind,
      day: Math.max(fromDay, toDay - (Number(stepsBack) + 1) * stepDays + 1),
      succeeded: group.reduce((sum, row) => sum + succeededOf(row), 0),
      refused: group.reduce((sum, row) => sum + row.refused, 0),
      failed: group.reduce((sum, row) => sum + row.failed, 0),
      p50Ms: answerTimeMs(group, 0.5),
      p95Ms: answerTimeMs(group, 0.95),
    };
  });
}

function bucketOf(durationMs: number): TookColumn {
  const index = latencyBoundsMs.findIndex((bound) => durationMs <= bound);
  // An index of −1 means past all bounds, which `at` maps to the last column.
  return tookColumns.at(index) ?? 'took_11';
}

const emptyDay = (place: Pick<RequestDayRow, 'account_id' | 'day' | 'key_id' | 'path'>): RequestDayRow => ({
  ...place,
  refused: 0,
  failed: 0,
  ...(Object.fromEntries(tookColumns.map((column) => [column, 0])) as Record<TookColumn, number>),
});
