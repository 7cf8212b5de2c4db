// The way to a date in a list that has the newest first: only what was made up to the end of that day.
import { DateInput } from '#app/parts/date-input.tsx';
import { useSearch } from '#app/router.tsx';

export function UntilFilter() {
  const [search, setSearch] = useSearch();
  return (
    <DateInput
      type="date"
      label="Up to"
      value={search.get('until') ?? ''}
      onChange={(day) => setSearch({ until: day })}
    />
  );
}

/** The end of the chosen day in the reader's time zone. */
export function untilOf(search: URLSearchParams): string | undefined {
  const end = new Date(`${search.get('until') ?? ''}T24:00`);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}
