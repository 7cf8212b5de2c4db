// What a usage chart shows: columns of days or weeks, a fixed colour for every key, and an axis of round numbers.
import type { AnswerOf } from '#http/dashboard/contract.ts';

export type UsageAnswer = Pick<AnswerOf<'GET /usage'>, 'daily' | 'keys' | 'from' | 'to'>;

export interface Series {
  id: string | null;
  name: string;
  color: string;
  total: number;
}

export interface Column {
  from: string;
  to: string;
  /** By series, in their order. */
  counts: number[];
  total: number;
}

const keyColors = 7;
const namedAtMost = 6;
const otherId = 'other';
/** Past this many days a column is a week. */
const daysAtMost = 120;

/**
 * The colour of every key that was used: the same in every chart of the page, whatever the key's rank there, and the same
 * tomorrow, because it goes by the key's age. Only where two would be alike the younger one takes the next.
 */
function colorsOf({ daily, keys }: UsageAnswer): Map<string | null, string> {
  const used = new Set(daily.map(({ key_id }) => key_id));
  const taken = new Set<number>();
  const colors = new Map<string | null, string>([[null, 'var(--chart-0)']]);
  for (const [age, { id }] of keys.toReversed().entries()) {
    if (!used.has(id)) continue;
    let place = age % keyColors;
    for (let tries = 0; taken.has(place) && tries < keyColors; tries += 1) place = (place + 1) % keyColors;
    taken.add(place);
    colors.set(id, `var(--chart-${place + 1})`);
  }
  return colors;
}

/** The keys that used most, the dashboard itself, and the rest together. */
export function seriesOf(usage: UsageAnswer, unit: 'upload' | 'render'): Series[] {
  const colors = colorsOf(usage);
  const totals = new Map<string | null, number>();
  for (const { key_id, used, unit: of } of usage.daily) {
    if (of === unit) totals.set(key_id, (totals.get(key_id) ?? 0) + used);
  }
  const ranked = [...totals].toSorted(([, a], [, b]) => b - a);
  const named = ranked.slice(0, namedAtMost).map(([id, total]): Series => ({
    id,
    name: id === null ? 'Dashboard' : (usage.keys.find((key) => key.id === id)?.name ?? 'A deleted key'),
    color: colors.get(id) ?? 'var(--chart-rest)',
    total,
  }));
  const rest = ranked.slice(namedAtMost).reduce((sum, [, total]) => sum + total, 0);
  return rest > 0
    ? [...named, { id: otherId, name: 'Others', color: 'var(--chart-rest)', total: rest }]
    : named;
}

export function columnsOf(usage: UsageAnswer, unit: 'upload' | 'render', series: Series[]): Column[] {
  const days = daysBetween(usage.from, usage.to);
  const width = days.length > daysAtMost ? 7 : 1;
  const columns: Column[] = [];
  // Weeks end today, so that the last one is whole.
  for (let end = days.length; end > 0; end -= width) {
    const [from, to] = [days[Math.max(0, end - width)]!, days[end - 1]!];
    columns.unshift({ from, to, counts: series.map(() => 0), total: 0 });
  }
  const indexOf = new Map(series.map(({ id }, index) => [id, index]));
  for (const { day, key_id, used, unit: of } of usage.daily) {
    const column = of === unit ? columns.find(({ from, to }) => day >= from && day <= to) : undefined;
    if (!column) continue;
    const index = indexOf.get(key_id) ?? series.length - 1;
    column.counts[index]! += used;
    column.total += used;
  }
  return columns;
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  const last = Date.parse(`${to.slice(0, 10)}T00:00:00Z`);
  for (
    let at = Date.parse(`${from.slice(0, 10)}T00:00:00Z`);
    at <= last && days.length < 400;
    at += 86_400_000
  ) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}

/** Round numbers from 0 to at least the most, four steps or fewer. */
export function ticksOf(most: number): number[] {
  const rough = Math.max(most, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!,
  );
  const whole = Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}
