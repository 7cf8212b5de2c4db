// The time range of the log: the last hour, day or week, or from one time to another in the reader's zone. It is in the URL.
import { useId } from 'react';
import { ChoiceFilter } from '#app/parts/filters.tsx';
import { useSearch } from '#app/router.tsx';

const ranges = [
  { value: '', text: '30 days' },
  { value: 'week', text: 'Last week' },
  { value: 'day', text: 'Last day' },
  { value: 'hour', text: 'Last hour' },
  { value: 'custom', text: 'Custom …' },
];

export interface TimeFilter {
  within: 'hour' | 'day' | 'week' | undefined;
  since: string | undefined;
  until: string | undefined;
}

export function timeFilter(search: URLSearchParams): TimeFilter {
  const within = search.get('within') ?? undefined;
  if (within !== 'custom')
    return { within: within as TimeFilter['within'], since: undefined, until: undefined };
  return {
    within: undefined,
    since: search.get('since') ?? undefined,
    until: search.get('until') ?? undefined,
  };
}

export function TimeRange() {
  const [search] = useSearch();
  const [since, until] = [search.get('since'), search.get('until')];
  const isCustom = search.get('within') === 'custom';
  const isBackwards = isCustom && since !== null && until !== null && until <= since;
  return (
    <>
      <ChoiceFilter name="within" label="Time" choices={ranges} />
      {isCustom && (
        <div className="flex basis-full flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          <Moment name="since" label="From" />
          <Moment name="until" label="Until" />
          {isBackwards && (
            <p role="alert" className="text-danger">
              The end is before the start.
            </p>
          )}
        </div>
      )}
    </>
  );
}

function Moment({ name, label }: { name: 'since' | 'until'; label: string }) {
  const [search, setSearch] = useSearch();
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2 max-sm:w-full">
      <label htmlFor={id} className="w-10 text-quiet">
        {label}
      </label>
      <input
        id={id}
        type="datetime-local"
        className="control w-auto max-sm:flex-1"
        value={localForm(search.get(name))}
        onChange={({ target }) =>
          setSearch({ [name]: target.value === '' ? undefined : new Date(target.value).toISOString() })
        }
      />
    </span>
  );
}

/** For a datetime-local field: local time without a zone. */
function localForm(iso: string | null): string {
  const at = new Date(iso ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
