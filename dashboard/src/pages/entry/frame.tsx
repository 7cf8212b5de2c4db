// The card around the pages before sign-in.
import { useEffect, useRef, type ReactNode } from 'react';
import { Mark } from '#app/parts/icon.tsx';
import { useTitle } from '#app/parts/page.tsx';

interface Frame {
  title: string;
  children: ReactNode;
  foot?: ReactNode;
}

/** The key makes a new title a new page, which sets the focus again. */
export const EntryFrame = (frame: Frame) => <Card key={frame.title} {...frame} />;

function Card({ title, children, foot }: Frame) {
  const main = useRef<HTMLElement>(null);
  useTitle(title);
  // Focus the first field, or the heading if there is none.
  useEffect(() => {
    const field = main.current?.querySelector<HTMLElement>('input:not([readonly])');
    (field ?? main.current?.querySelector<HTMLElement>('h1'))?.focus();
  }, []);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="px-5 py-4">
        <a href="/" className="inline-flex items-center gap-2.5 rounded-lg text-lg font-semibold">
          <Mark />
          Tintype
        </a>
      </header>
      <main ref={main} className="m-auto w-full max-w-md px-4 pt-4 pb-20">
        <div className="card p-6 shadow-large sm:p-8">
          <h1 tabIndex={-1} className="mb-4 font-serif text-2xl font-semibold">
            {title}
          </h1>
          {children}
        </div>
        {foot !== undefined && <div className="mt-5 grid gap-1.5 text-center text-sm text-quiet">{foot}</div>}
      </main>
    </div>
  );
}

export const textLink = 'font-medium text-accent underline underline-offset-2';
