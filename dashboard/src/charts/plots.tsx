// The two ways to draw a chart's columns.
import type { ChartData } from '#app/charts/data.ts';

interface Drawn extends ChartData {
  /** The value at the upper edge. */
  top: number;
  /** The index of the column under the pointer. */
  pointed: number | undefined;
}

/** Stacked, with a rounded top. */
export function Bars({ series, columns, top, pointed }: Drawn) {
  return (
    <div className="absolute inset-0 flex items-end">
      {columns.map(({ from, values }, index) => {
        const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
        return (
          <div
            key={from}
            className={`flex h-full min-w-0 flex-1 flex-col-reverse items-center transition-opacity ${pointed === undefined || pointed === index ? '' : 'opacity-50'}`}
          >
            <div
              className="flex w-3/4 max-w-10 flex-col-reverse overflow-hidden rounded-t-[3px]"
              style={{ height: `${(100 * total) / top}%` }}
            >
              {values.map((value, place) => (
                <div
                  key={series[place]!.id}
                  style={{ flexGrow: value ?? 0, background: series[place]!.color }}
                />
              ))}
            </div>
          </div>
        );
      })}
    </div>
  );
}

/** One line per series, interrupted where values are unknown; a value without neighbours is a dot. */
export function Lines({ series, columns, top, pointed }: Drawn) {
  const x = (index: number): number => (100 * (index + 0.5)) / columns.length;
  const y = (value: number): number => 100 - (100 * value) / top;
  return (
    <>
      <svg
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        className="absolute inset-0 size-full overflow-visible"
      >
        {pointed !== undefined && (
          <line
            x1={x(pointed)}
            x2={x(pointed)}
            y1="0"
            y2="100"
            stroke="var(--edge)"
            strokeWidth="1"
            vectorEffect="non-scaling-stroke"
          />
        )}
        {series.map(({ id, color }, place) => (
          <path
            key={id}
            d={pathOf(
              columns.map(({ values }) => values[place] ?? null),
              x,
              y,
            )}
            fill="none"
            stroke={color}
            strokeWidth="2"
            strokeLinejoin="round"
            strokeLinecap="round"
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      {series.map(({ id, color }, place) =>
        columns.map(({ from, values }, index) => {
          const value = values[place] ?? null;
          const isAlone =
            (columns[index - 1]?.values[place] ?? null) === null &&
            (columns[index + 1]?.values[place] ?? null) === null;
          if (value === null || !(isAlone || index === pointed)) return null;
          return (
            <span
              key={`${id} ${from}`}
              className="absolute size-2 -translate-x-1/2 -translate-y-1/2 rounded-full"
              style={{ left: `${x(index)}%`, top: `${y(value)}%`, background: color }}
            />
          );
        }),
      )}
    </>
  );
}

function pathOf(
  values: (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      return `${(values[index - 1] ?? null) === null ? 'M' : 'L'}${x(index)} ${y(value)}`;
    })
    .join('');
}
