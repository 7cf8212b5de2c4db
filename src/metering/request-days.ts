// The request log summed by day: adds rows to the sums, and estimates response times from their buckets.
import {
  latencyBoundsMs,
  type RequestDayRow,
  type RequestLogRow,
  type TookColumn,
  type Unit,
} from '#storage/schema.ts';
import { tookColumns } from '#storage/tables/request-days.ts';
import { dayOf } from '#storage/tables/usage.ts';

/** One row for each day, key and path, in the same order on every machine. */
export function sumByDay(rows: RequestLogRow[]): RequestDayRow[] {
  const days = new Map<string, RequestDayRow>();
  for (const { account_id, created_at, key_id, path, status, duration_ms } of rows) {
    const day = dayOf(created_at);
    const name = `${account_id} ${day} ${key_id ?? ''} ${path}`;
    let sum = days.get(name);
    if (!sum) days.set(name, (sum = emptyDay({ account_id, day, key_id: key_id ?? '', path })));
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

/** The unit that a request to this path uses. */
export const unitOf = ({ path }: Pick<RequestDayRow, 'path'>): Unit =>
  path.startsWith('/api/v1/upload') ? 'upload' : 'render';

export interface StepOfRequests {
  unit: Unit;
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
  const steps = Map.groupBy(rows, (row) => `${Math.floor((toDay - row.day) / stepDays)} ${unitOf(row)}`);
  return [...steps].map(([name, group]) => {
    const [stepsBack = '', unit] = name.split(' ');
    return {
      unit: unit as Unit,
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
