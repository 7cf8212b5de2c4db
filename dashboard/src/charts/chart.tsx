// A chart by day or week, as stacked bars or as lines, with an axis, a tooltip and the same numbers as a table.
import { useState, type ReactNode } from 'react';
import { number, ownForm } from '#app/format.ts';
import { ticksOf, type ChartData, type Column, type Series } from '#app/charts/data.ts';
import { Bars, Lines } from '#app/charts/plots.tsx';

const dayNames = new Intl.DateTimeFormat(ownForm, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const fullNames = new Intl.DateTimeFormat(ownForm, { dateStyle: 'medium', timeZone: 'UTC' });

interface Look {
  /** The accessible name. */
  title: string;
  kind?: 'bars' | 'lines';
  /** Formats a value; `axis` formats the round values of the axis. */
  format?: (value: number) => string;
  axis?: (value: number) => string;
  /** Shown instead if there is no data. */
  empty: ReactNode;
}

export function Chart({
  title,
  kind = 'bars',
  format = number,
  axis = format,
  empty,
  data,
}: Look & { data: ChartData }) {
  const { series, columns } = data;
  const known = columns.flatMap(({ values }) => values.filter((value) => value !== null && value > 0));
  if (known.length === 0) return <p className="text-quiet">{empty}</p>;
  return (
    <figure>
      <figcaption className="mb-4 flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
        {series.map(({ id, name, color, total }) => (
          <span key={id} className="inline-flex max-w-full items-center gap-2">
            <Swatch color={color} />
            <span className="min-w-0 truncate">{name}</span>
            {total !== undefined && <span className="text-quiet tabular-nums">{format(total)}</span>}
          </span>
        ))}
      </figcaption>
      <Plot kind={kind} format={format} axis={axis} data={data} />
      <details className="mt-3 text-sm">
        <summary className="text-quiet">As a table</summary>
        <Table title={title} format={format} data={data} />
      </details>
    </figure>
  );
}

const sumOf = ({ values }: Column): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
const maxOf = ({ values }: Column): number => Math.max(...values.map((value) => value ?? 0));

function Plot({
  kind,
  format,
  axis,
  data,
}: Required<Pick<Look, 'kind' | 'format' | 'axis'>> & { data: ChartData }) {
  const { series, columns } = data;
  const [pointed, setPointed] = useState<number>();
  const ticks = ticksOf(Math.max(...columns.map(kind === 'bars' ? sumOf : maxOf)));
  const top = ticks.at(-1)!;
  const every = Math.ceil(columns.length / 6);
  const shown = pointed === undefined ? undefined : columns[pointed];
  const Drawing = kind === 'bars' ? Bars : Lines;
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
        <Drawing series={series} columns={columns} top={top} pointed={pointed} />
        <div className="absolute inset-0 flex">
          {columns.map(({ from }, index) => (
            <div
              key={from}
              data-column={from}
              className="min-w-0 flex-1"
              onPointerEnter={() => setPointed(index)}
            />
          ))}
        </div>
        {shown && (
          <Tooltip
            column={shown}
            series={series}
            format={format}
            isSummed={kind === 'bars'}
            place={(pointed! + 0.5) / columns.length}
          />
        )}
      </div>
      <div className="relative w-max text-xs/none text-quiet tabular-nums">
        {/* Reserves the width of the longest label. */}
        <span className="invisible">{axis(top)}</span>
        {ticks.map((tick) => (
          <span
            key={tick}
            className="absolute left-0 translate-y-1/2 whitespace-nowrap"
            style={{ bottom: `${(100 * tick) / top}%` }}
          >
            {axis(tick)}
          </span>
        ))}
      </div>
      <div className="mt-2 flex text-xs text-quiet">
        {columns.map(({ from }, index) => (
          // From the last one backwards, so that today has its name; each ends where its column does.
          <span key={from} className="flex min-w-0 flex-1 justify-end whitespace-nowrap">
            {(columns.length - 1 - index) % every === 0 && index >= (every - 1) / 2 && dayName(from)}
          </span>
        ))}
      </div>
    </div>
  );
}

function Tooltip({
  column,
  series,
  format,
  isSummed,
  place,
}: {
  column: Column;
  series: Series[];
  format: (value: number) => string;
  isSummed: boolean;
  /** 0 to 1, from the left. */
  place: number;
}) {
  const used = series.flatMap((one, index) => {
    const value = column.values[index] ?? null;
    return value === null || (isSummed && value === 0) ? [] : [{ ...one, value }];
  });
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
      {used.length === 0 && <p className="text-quiet">Nothing</p>}
      {used.map(({ id, name, color, value }) => (
        <p key={id} className="flex items-center gap-2">
          <Swatch color={color} />
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <span className="tabular-nums">{format(value)}</span>
        </p>
      ))}
      {isSummed && used.length > 1 && (
        <p className="mt-1 flex justify-between gap-4 border-t pt-1">
          <span className="text-quiet">Total</span>
          <span className="tabular-nums">{format(sumOf(column))}</span>
        </p>
      )}
    </div>
  );
}

function Table({
  title,
  format,
  data: { series, columns },
}: {
  title: string;
  format: (value: number) => string;
  data: ChartData;
}) {
  return (
    <div
      className="mt-2 max-h-64 overflow-auto rounded-[10px] border"
      // A scrollable block must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={title}
    >
      <table className="w-full text-left tabular-nums">
        <thead className="sticky top-0 bg-card">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              {columns[0]?.from === columns[0]?.to ? 'Day' : 'Week from'}
            </th>
            {series.map(({ id, name }) => (
              <th key={id} scope="col" className="px-3 py-1.5 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns
            .filter((column) => sumOf(column) > 0)
            .map(({ from, values }) => (
              <tr key={from} className="border-t">
                <th scope="row" className="px-3 py-1.5 font-normal whitespace-nowrap">
                  {fullName(from)}
                </th>
                {values.map((value, place) => (
                  <td key={series[place]!.id} className="px-3 py-1.5 text-right">
                    {value === null ? '–' : format(value)}
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
/** A day of a chart in the reader's locale; days are in UTC. */
export const fullName = (day: string): string => fullNames.format(new Date(`${day}T00:00:00Z`));
