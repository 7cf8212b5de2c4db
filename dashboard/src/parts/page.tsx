// The layout of a page inside the shell: its title and the actions next to it. The title gets the focus on arrival.
import { useEffect, useRef, type ReactNode } from 'react';

/** No page has been shown since the dashboard was loaded. */
let isFirst = true;

export function Page({
  title,
  intro,
  actions,
  children,
}: {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => {
    // Screen readers announce the title of the new page, as after a full page load. The first page leaves the focus to a person who
    // has moved it while the page's code was loading.
    if (!isFirst || document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    isFirst = false;
    window.scrollTo(0, 0);
  }, []);
  return (
    <div className="grid gap-6">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1
            ref={heading}
            tabIndex={-1}
            className="font-serif text-3xl font-semibold tracking-tight wrap-anywhere"
          >
            {title}
          </h1>
          {intro !== undefined && <p className="mt-1 max-w-2xl text-balance text-quiet">{intro}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2.5">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tintype`;
  }, [title]);
}

/** A card with a heading. */
export function Section({
  title,
  intro,
  actions,
  children,
  className = '',
}: {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  className?: string;
}) {
  return (
    <section className={`card min-w-0 p-5 sm:p-6 ${className}`}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-40">
          <h2 className="font-serif text-lg font-semibold">{title}</h2>
          {intro !== undefined && <p className="mt-0.5 max-w-2xl text-sm text-pretty text-quiet">{intro}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children !== undefined && children !== false && <div className="mt-4">{children}</div>}
    </section>
  );
}
