// Units by day as stacked bars, one colour per key, drawn as SVG; the same numbers are there as a table.
import { useState } from 'react';
import type { AnswerOf } from '#http/dashboard/contract.ts';
import { number, plural } from '#app/format.ts';

type UsageAnswer = AnswerOf<'GET /usage'>;

const height = 160;
const colors = ['--accent', '--second', '--good', '--warn', '--edge', '--danger'];
const dayNames = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

interface Series {
  id: string | null;
  name: string;
  color: string;
  total: number;
}

export function UsageChart({ usage, unit }: { usage: UsageAnswer; unit: 'upload' | 'render' }) {
  const [pointed, setPointed] = useState<number>();
  const rows = usage.daily.filter((row) => row.unit === unit);
  const days = daysBetween(usage.from, usage.to);
  const series = seriesOf(usage, rows);
  const used = (day: string, id: string | null): number =>
    rows
      .filter((row) => row.day === day && seriesIdOf(series, row.key_id) === id)
      .reduce((sum, row) => sum + row.used, 0);
  const totals = days.map((day) =>
    rows.filter((row) => row.day === day).reduce((sum, row) => sum + row.used, 0),
  );
  const total = totals.reduce((sum, count) => sum + count, 0);
  if (total === 0) return <p className="text-quiet">Nothing in these {days.length} days.</p>;

  const top = niceTop(Math.max(...totals));
  const slot = 1000 / days.length;
  const bar = slot * (days.length > 100 ? 0.9 : 0.7);
  const shownDay = pointed === undefined ? undefined : days[pointed];
  return (
    <figure>
      <figcaption className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
        {series.map(({ id, name, color, total: count }) => (
          <span key={id ?? ''} className="inline-flex items-center gap-2">
            <span className="size-2.5 rounded-sm" style={{ background: `var(${color})` }} />
            {name} <span className="text-quiet tabular-nums">{number(count)}</span>
          </span>
        ))}
      </figcaption>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-2">
        <svg
          viewBox={`0 0 1000 ${height}`}
          preserveAspectRatio="none"
          className="h-40 w-full"
          aria-hidden="true"
          onPointerLeave={() => setPointed(undefined)}
        >
          {[0, 0.5, 1].map((part) => (
            <line
              key={part}
              x1="0"
              x2="1000"
              y1={height * part}
              y2={height * part}
              stroke="var(--line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {days.map((day, index) => {
            let y = height;
            return (
              <g
                key={day}
                onPointerEnter={() => setPointed(index)}
                opacity={pointed === undefined || pointed === index ? 1 : 0.55}
              >
                <rect x={index * slot} y="0" width={slot} height={height} fill="transparent" />
                {series.map(({ id, color }) => {
                  const tall = (height * used(day, id)) / top;
                  y -= tall;
                  return (
                    tall > 0 && (
                      <rect
                        key={id ?? ''}
                        x={index * slot + (slot - bar) / 2}
                        y={y}
                        width={bar}
                        height={tall}
                        fill={`var(${color})`}
                      />
                    )
                  );
                })}
              </g>
            );
          })}
        </svg>
        <div className="flex h-40 flex-col justify-between text-xs/none text-quiet tabular-nums">
          <span>{number(top)}</span>
          <span>{number(top / 2)}</span>
          <span>0</span>
        </div>
        <div className="mt-1.5 flex justify-between text-xs text-quiet">
          <span>{dayName(days[0]!)}</span>
          <span aria-live="off" className="text-ink">
            {shownDay !== undefined && `${dayName(shownDay)}: ${plural(totals[pointed!] ?? 0, unit)}`}
          </span>
          <span>{dayName(days.at(-1)!)}</span>
        </div>
      </div>
      <details className="mt-3 text-sm">
        <summary className="text-quiet">As a table</summary>
        <div
          className="mt-2 max-h-64 overflow-auto rounded-[10px] border"
          // What scrolls must be reachable by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          role="region"
          aria-label={`${unit === 'upload' ? 'Uploads' : 'Renders'} by day`}
        >
          <table className="w-full text-left tabular-nums">
            <thead className="sticky top-0 bg-card">
              <tr>
                <th scope="col" className="px-3 py-1.5 font-medium">
                  Day
                </th>
                {series.map(({ id, name }) => (
                  <th key={id ?? ''} scope="col" className="px-3 py-1.5 text-right font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days
                .filter((_, index) => totals[index]! > 0)
                .map((day) => (
                  <tr key={day} className="border-t">
                    <th scope="row" className="px-3 py-1.5 font-normal">
                      {day}
                    </th>
                    {series.map(({ id }) => (
                      <td key={id ?? ''} className="px-3 py-1.5 text-right">
                        {number(used(day, id))}
                      </td>
                    ))}
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const otherId = 'other';

/** The keys that used most, the dashboard itself, and the rest together. */
function seriesOf(usage: UsageAnswer, rows: UsageAnswer['daily']): Series[] {
  const totals = new Map<string | null, number>();
  for (const { key_id, used } of rows) totals.set(key_id, (totals.get(key_id) ?? 0) + used);
  const ranked = [...totals].toSorted(([, a], [, b]) => b - a);
  const named = ranked.slice(0, 5).map(([id, total], index): Series => ({
    id,
    name: id === null ? 'Dashboard' : (usage.keys.find((key) => key.id === id)?.name ?? 'A deleted key'),
    color: colors[index]!,
    total,
  }));
  const rest = ranked.slice(5).reduce((sum, [, total]) => sum + total, 0);
  return rest > 0 ? [...named, { id: otherId, name: 'Others', color: colors[5]!, total: rest }] : named;
}

const seriesIdOf = (series: Series[], keyId: string | null): string | null =>
  series.some(({ id }) => id === keyId) ? keyId : otherId;

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

/** An even number of one leading digit, so that the half has no fraction. */
function niceTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(most, 2)));
  const steps = [2, 4, 6, 8, 10].map((step) => (step * unit) / (unit >= 10 ? 2 : 1));
  return [unit, ...steps].find((step) => step >= most && step % 2 === 0) ?? 2 * Math.ceil(most / 2);
}

const dayName = (day: string): string => dayNames.format(new Date(`${day}T00:00:00Z`));
