// The data of charts: columns of days or weeks, series with a fixed colour for every key, and an axis of round numbers.
import type { AnswerOf } from '#console/handlers.ts';

type Usage = Pick<AnswerOf<'GET /usage'>, 'daily' | 'keys' | 'from' | 'to' | 'step_days' | 'requests'>;
type Unit = 'upload' | 'render';

export interface Series {
  id: string;
  name: string;
  color: string;
  /** The sum over all columns, if a sum makes sense. */
  total?: number;
}

export interface Column {
  from: string;
  to: string;
  /** One value per series, in the same order; null if unknown. */
  values: (number | null)[];
}

export interface ChartData {
  series: Series[];
  columns: Column[];
}

const keyColors = 7;
const namedAtMost = 6;
const dashboardId = 'dashboard';
const rest = 'var(--chart-rest)';

/**
 * The colour of every key that was used. It depends on the key's age and not on its rank, so it is the same in every chart
 * of the page and stays the same over time. If two keys would get the same colour, the younger one takes the next.
 */
function colorsOf({ daily, keys }: Usage): Map<string, string> {
  const used = new Set(daily.map(({ key_id }) => key_id));
  const taken = new Set<number>();
  const colors = new Map<string, string>([[dashboardId, 'var(--chart-0)']]);
  for (const [age, { id }] of keys.toReversed().entries()) {
    if (!used.has(id)) continue;
    let place = age % keyColors;
    for (let tries = 0; taken.has(place) && tries < keyColors; tries += 1) place = (place + 1) % keyColors;
    taken.add(place);
    colors.set(id, `var(--chart-${place + 1})`);
  }
  return colors;
}

/** The six sources with the most units (keys or the dashboard), and the others together. */
export function unitsByKey(usage: Usage, unit: Unit): ChartData {
  const colors = colorsOf(usage);
  const events = usage.daily
    .filter((event) => event.unit === unit)
    .map(({ day, key_id, used }) => ({ day, id: key_id ?? dashboardId, amount: used }));
  const totals = new Map<string, number>();
  for (const { id, amount } of events) totals.set(id, (totals.get(id) ?? 0) + amount);
  const ranked = [...totals].toSorted(([, a], [, b]) => b - a);
  const named = ranked.slice(0, namedAtMost).map(([id]) => ({
    id,
    name:
      id === dashboardId ? 'Dashboard' : (usage.keys.find((key) => key.id === id)?.name ?? 'A deleted key'),
    color: colors.get(id) ?? rest,
  }));
  const others = ranked.length > namedAtMost ? [{ id: 'others', name: 'Others', color: rest }] : [];
  return stacked(usage, [...named, ...others], events);
}

export function unitsByKind(usage: Usage): ChartData {
  return stacked(
    usage,
    [
      { id: 'upload', name: 'Uploads', color: 'var(--chart-0)' },
      { id: 'render', name: 'Renders', color: 'var(--chart-1)' },
    ],
    usage.daily.map(({ day, unit, used }) => ({ day, id: unit, amount: used })),
  );
}

/** Every request with a key, by outcome. */
export function requestsByOutcome(usage: Usage): ChartData {
  return stacked(
    usage,
    [
      { id: 'succeeded', name: 'Succeeded', color: 'var(--chart-6)' },
      { id: 'refused', name: 'Refused (4xx)', color: 'var(--chart-2)' },
      { id: 'failed', name: 'Failed (5xx)', color: 'var(--chart-5)' },
    ],
    usage.requests.flatMap(({ day, succeeded, refused, failed }) => [
      { day, id: 'succeeded', amount: succeeded },
      { day, id: 'refused', amount: refused },
      { day, id: 'failed', amount: failed },
    ]),
  );
}

/** Duration of successful requests: the median and the 95th percentile. */
export function answerTimes(usage: Usage, kind: 'upload' | 'render'): ChartData {
  const columns = emptyColumns(usage, [null, null]);
  for (const step of usage.requests) {
    const column = step.kind === kind ? columnOf(columns, step.day) : undefined;
    if (column) column.values = [step.p50_ms, step.p95_ms];
  }
  return {
    columns,
    series: [
      { id: 'p50', name: 'Median', color: 'var(--chart-1)' },
      { id: 'p95', name: '95th percentile', color: 'var(--chart-3)' },
    ],
  };
}

function stacked(
  usage: Usage,
  series: Series[],
  events: { day: string; id: string; amount: number }[],
): ChartData {
  const columns = emptyColumns(
    usage,
    series.map(() => 0),
  );
  const totals = series.map(() => 0);
  for (const { day, id, amount } of events) {
    const index = series.findIndex((one) => one.id === id);
    // A key that has no series is counted in the last one, the others.
    const place = index === -1 ? series.length - 1 : index;
    const column = columnOf(columns, day);
    if (!column || place < 0) continue;
    column.values[place] = (column.values[place] ?? 0) + amount;
    totals[place]! += amount;
  }
  return { columns, series: series.map((one, index) => ({ ...one, total: totals[index]! })) };
}

const columnOf = (columns: Column[], day: string): Column | undefined =>
  columns.find(({ from, to }) => day >= from && day <= to);

function emptyColumns({ from, to, step_days }: Usage, values: (number | null)[]): Column[] {
  const columns: Column[] = [];
  const first = dayNumber(from);
  // Weeks are counted back from the last day, so that the last week is complete.
  for (let end = dayNumber(to); end >= first; end -= step_days)
    columns.unshift({
      from: isoDay(Math.max(first, end - step_days + 1)),
      to: isoDay(end),
      values: [...values],
    });
  return columns;
}

const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 86_400_000;
const isoDay = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

/** Round numbers from 0 to at least `max`, in four steps or fewer. */
export function ticksOf(max: number): number[] {
  const rough = Math.max(max, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!,
  );
  const whole = Math.ceil(step);
  return Array.from({ length: Math.ceil(Math.max(max, 1) / whole) + 1 }, (_, index) => index * whole);
}
