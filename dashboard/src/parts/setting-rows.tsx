// Settings in two columns: title and explanation on the left, the control on the right.
import type { ReactNode } from 'react';

export function SettingRows({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <div className="grid gap-2.5">
      {title !== undefined && (
        <p className="px-1 text-xs font-semibold tracking-wider text-quiet uppercase">{title}</p>
      )}
      <div className="card divide-y divide-line">{children}</div>
    </div>
  );
}

export function SettingRow({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="grid gap-x-10 gap-y-4 p-5 sm:p-6 md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div>
        <h2 className="font-serif text-lg font-semibold">{title}</h2>
        {intro !== undefined && <p className="mt-1 max-w-md text-sm text-pretty text-quiet">{intro}</p>}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
