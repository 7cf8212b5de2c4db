// Filters of a list. They are in the URL, so that a link or the Back button shows the same list.
import type { ComponentProps, ReactNode } from 'react';
import { Button } from '#app/parts/button.tsx';
import { Select } from '#app/parts/field.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Empty } from '#app/parts/states.tsx';
import { useSearch } from '#app/router.tsx';

export function Filters({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap gap-2.5">{children}</div>;
}

export function SearchFilter({ label }: { label: string }) {
  const [search, setSearch] = useSearch();
  return (
    <div className="relative min-w-56 flex-1 max-sm:basis-full">
      <Icon
        name="search"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-quiet"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={search.get('search') ?? ''}
        onChange={(event) => setSearch({ search: event.target.value })}
        maxLength={100}
        className="control pl-9"
      />
    </div>
  );
}

/** The first choice has an empty value and filters nothing. */
export function ChoiceFilter({
  name,
  label,
  className = '',
  choices,
}: {
  name: string;
  label: string;
  className?: string;
  choices: ComponentProps<typeof Select>['choices'];
}) {
  const [search, setSearch] = useSearch();
  return (
    <Select
      aria-label={label}
      className={`max-sm:max-w-none max-sm:flex-1 max-sm:basis-[40%] ${className}`}
      choices={choices}
      value={search.get(name) ?? ''}
      onChange={(event) => setSearch({ [name]: event.target.value })}
    />
  );
}

/** Shown if no item matches the filters. */
export function NothingFits({
  title,
  names,
  children,
}: {
  title: string;
  names: string[];
  children: string;
}) {
  const [, setSearch] = useSearch();
  const clear = () => setSearch(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <Empty icon="search" title={title} action={<Button onClick={clear}>Clear the filters</Button>}>
      {children}
    </Empty>
  );
}
