// What a page shows while loading, when empty, and on an error; also chips and banners.
import type { ReactNode } from 'react';
import { Button } from '#app/parts/button.tsx';
import { Icon, type IconName } from '#app/parts/icon.tsx';

export function Loading({ rows = 3 }: { rows?: number }) {
  return (
    <div className="grid animate-pulse gap-3" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="h-16 rounded-[14px] bg-ink/5" />
      ))}
    </div>
  );
}

export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="grid justify-items-center gap-2 rounded-[14px] border border-dashed border-edge/70 px-6 py-14 text-center">
      <span className="mb-1 grid size-12 place-items-center rounded-full bg-accent-soft text-accent">
        <Icon name={icon} className="size-6" />
      </span>
      <h2 className="font-serif text-lg font-semibold">{title}</h2>
      <p className="max-w-md text-balance text-quiet">{children}</p>
      {action !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2.5">{action}</div>}
    </div>
  );
}

export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div role="alert" className="card grid justify-items-start gap-3 p-6">
      <h2 className="font-serif text-lg font-semibold">This could not be loaded</h2>
      <p className="text-quiet">{error.message}</p>
      {onRetry && (
        <Button icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

type Tone = 'plain' | 'good' | 'warn' | 'danger' | 'accent';
const tones: Record<Tone, string> = {
  plain: 'bg-ink/6 text-quiet',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  accent: 'bg-accent-soft text-accent',
};

export function Chip({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  );
}

export function Banner({
  tone,
  title,
  children,
  action,
}: {
  tone: 'warn' | 'danger' | 'accent';
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  const edge = { warn: 'border-warn/30', danger: 'border-danger/30', accent: 'border-accent/25' }[tone];
  return (
    <section
      aria-label={title}
      className={`flex flex-wrap items-center gap-x-4 gap-y-3 rounded-[14px] border px-5 py-4 ${edge} ${tones[tone]}`}
    >
      <div className="min-w-60 flex-1">
        <h2 className="font-semibold">{title}</h2>
        <div className="text-ink">{children}</div>
      </div>
      {action}
    </section>
  );
}
