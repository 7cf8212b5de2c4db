// How much of a quota is used, as a bar and in words.
import type { ReactNode } from 'react';
import type { UnitUsage } from '#api/month-usage.ts';
import { number } from '#app/format.ts';
import { Chip } from '#app/parts/states.tsx';

export function QuotaMeter({ title, unit, foot }: { title: string; unit: UnitUsage; foot: ReactNode }) {
  return (
    <Meter
      title={title}
      used={unit.used}
      limit={unit.limit}
      chip={
        unit.overage > 0 ? (
          <Chip tone="accent">{number(unit.overage)} over</Chip>
        ) : (
          unit.warning !== null && (
            <Chip tone={unit.warning === 100 ? 'danger' : 'warn'}>{unit.warning} % reached</Chip>
          )
        )
      }
      foot={foot}
    />
  );
}

function Meter({
  title,
  used,
  limit,
  chip,
  foot,
}: {
  title: string;
  used: number;
  limit: number;
  chip?: ReactNode;
  foot: ReactNode;
}) {
  const percent = limit === 0 ? 100 : Math.min(100, (100 * used) / limit);
  const color = percent >= 100 ? 'bg-danger' : percent >= 80 ? 'bg-warn' : 'bg-accent';
  return (
    <div className="card grid content-start gap-2 p-5">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h2 className="text-sm font-medium text-quiet">{title}</h2>
        {chip}
      </div>
      <p className="flex flex-wrap items-baseline gap-x-1.5">
        <span className="font-serif text-3xl font-semibold tabular-nums">{number(used)}</span>
        <span className="text-quiet">of {number(limit)}</span>
      </p>
      <div
        role="meter"
        aria-label={title}
        aria-valuenow={Math.min(used, limit)}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuetext={`${number(used)} of ${number(limit)}`}
        className="h-2 overflow-hidden rounded-full bg-ink/8"
      >
        <div
          className={`h-full rounded-full transition-[width] ${color}`}
          style={{ width: `${used > 0 ? Math.max(percent, 1.5) : 0}%` }}
        />
      </div>
      <p className="text-sm text-quiet">{foot}</p>
    </div>
  );
}
