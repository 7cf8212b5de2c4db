// Units by day as stacked bars, one colour per key; the same numbers are there as a table.
import { useState } from 'react';
import { number, ownForm, plural } from '#app/format.ts';
import {
  columnsOf,
  seriesOf,
  ticksOf,
  type Column,
  type Series,
  type UsageAnswer,
} from '#app/pages/usage/chart-data.ts';

const dayNames = new Intl.DateTimeFormat(ownForm, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const fullNames = new Intl.DateTimeFormat(ownForm, { dateStyle: 'medium', timeZone: 'UTC' });

export function UsageChart({ usage, unit }: { usage: UsageAnswer; unit: 'upload' | 'render' }) {
  const series = seriesOf(usage, unit);
  const columns = columnsOf(usage, unit, series);
  if (series.length === 0)
    return (
      <p className="text-quiet">
        Nothing from {fullName(usage.from)} to {fullName(usage.to)}.
      </p>
    );
  return (
    <figure>
      <figcaption className="mb-4 flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
        {series.map(({ id, name, color, total }) => (
          <span key={id ?? ''} className="inline-flex max-w-full items-center gap-2">
            <Swatch color={color} />
            <span className="min-w-0 truncate">{name}</span>{' '}
            <span className="text-quiet tabular-nums">{number(total)}</span>
          </span>
        ))}
      </figcaption>
      <Bars columns={columns} series={series} unit={unit} />
      <details className="mt-3 text-sm">
        <summary className="text-quiet">As a table</summary>
        <Table columns={columns} series={series} unit={unit} />
      </details>
    </figure>
  );
}

interface Shown {
  columns: Column[];
  series: Series[];
  unit: 'upload' | 'render';
}

function Bars({ columns, series, unit }: Shown) {
  const [pointed, setPointed] = useState<number>();
  const ticks = ticksOf(Math.max(...columns.map(({ total }) => total)));
  const top = ticks.at(-1)!;
  const every = Math.ceil(columns.length / 6);
  const shown = pointed === undefined ? undefined : columns[pointed];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-2" aria-hidden="true">
      <div className="relative h-44" onPointerLeave={() => setPointed(undefined)}>
        {ticks.map((tick) => (
          <div
            key={tick}
            className="absolute inset-x-0 border-t"
            style={{ bottom: `${(100 * tick) / top}%` }}
          />
        ))}
        <div className="absolute inset-0 flex items-end">
          {columns.map((column, index) => (
            <div
              key={column.from}
              onPointerEnter={() => setPointed(index)}
              className={`flex h-full min-w-0 flex-1 flex-col-reverse items-center transition-opacity ${pointed === undefined || pointed === index ? '' : 'opacity-50'}`}
            >
              <div
                className="flex w-3/4 flex-col-reverse overflow-hidden rounded-t-[3px]"
                style={{ height: `${(100 * column.total) / top}%` }}
              >
                {column.counts.map((count, place) => (
                  <div
                    key={series[place]!.id ?? ''}
                    style={{ flexGrow: count, background: series[place]!.color }}
                  />
                ))}
              </div>
            </div>
          ))}
        </div>
        {shown && (
          <Tooltip column={shown} series={series} unit={unit} place={(pointed! + 0.5) / columns.length} />
        )}
      </div>
      <div className="relative w-max text-xs/none text-quiet tabular-nums">
        {/* As wide as the longest of them. */}
        <span className="invisible">{number(top)}</span>
        {ticks.map((tick) => (
          <span
            key={tick}
            className="absolute left-0 translate-y-1/2"
            style={{ bottom: `${(100 * tick) / top}%` }}
          >
            {number(tick)}
          </span>
        ))}
      </div>
      <div className="mt-2 flex text-xs text-quiet">
        {columns.map(({ from }, index) => (
          <span key={from} className="min-w-0 flex-1 overflow-visible whitespace-nowrap">
            {index % every === 0 && columns.length - index >= every / 2 && dayName(from)}
          </span>
        ))}
      </div>
    </div>
  );
}

function Tooltip({
  column,
  series,
  unit,
  place,
}: {
  column: Column;
  series: Series[];
  unit: string;
  /** 0 to 1, from the left. */
  place: number;
}) {
  const used = series.flatMap((one, index) =>
    column.counts[index]! > 0 ? [{ ...one, count: column.counts[index]! }] : [],
  );
  return (
    <div
      className="pointer-events-none absolute bottom-full z-10 mb-1 w-max max-w-60 -translate-x-1/2 rounded-[9px] border bg-card px-3 py-2 text-sm shadow-large"
      style={{ left: `clamp(6rem, ${100 * place}%, calc(100% - 6rem))` }}
    >
      <p className="font-medium">
        {column.from === column.to
          ? fullName(column.from)
          : `${dayName(column.from)} to ${fullName(column.to)}`}
      </p>
      <p className="text-quiet">{plural(column.total, unit)}</p>
      {used.map(({ id, name, color, count }) => (
        <p key={id ?? ''} className="flex items-center gap-2">
          <Swatch color={color} />
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <span className="tabular-nums">{number(count)}</span>
        </p>
      ))}
    </div>
  );
}

function Table({ columns, series, unit }: Shown) {
  return (
    <div
      className="mt-2 max-h-64 overflow-auto rounded-[10px] border"
      // What scrolls must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={unit === 'upload' ? 'Uploads by day' : 'Renders by day'}
    >
      <table className="w-full text-left tabular-nums">
        <thead className="sticky top-0 bg-card">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              {columns[0]?.from === columns[0]?.to ? 'Day' : 'Week from'}
            </th>
            {series.map(({ id, name }) => (
              <th key={id ?? ''} scope="col" className="px-3 py-1.5 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns
            .filter(({ total }) => total > 0)
            .map(({ from, counts }) => (
              <tr key={from} className="border-t">
                <th scope="row" className="px-3 py-1.5 font-normal">
                  {from}
                </th>
                {counts.map((count, place) => (
                  <td key={series[place]!.id ?? ''} className="px-3 py-1.5 text-right">
                    {number(count)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

const Swatch = ({ color }: { color: string }) => (
  <span className="size-2.5 shrink-0 rounded-sm" style={{ background: color }} />
);

const dayName = (day: string): string => dayNames.format(new Date(`${day}T00:00:00Z`));
const fullName = (day: string): string => fullNames.format(new Date(`${day}T00:00:00Z`));
