// The time range of the log: the last hour, day or week, or from one time to another in the reader's zone. It is in the URL.
import { DateInput } from '#app/parts/date-input.tsx';
import { ChoiceFilter } from '#app/parts/filters.tsx';
import { useSearch } from '#app/router.tsx';

const ranges = [
  { value: '', text: '30 days' },
  { value: 'week', text: 'Last week' },
  { value: 'day', text: 'Last day' },
  { value: 'hour', text: 'Last hour' },
  { value: 'custom', text: 'Custom …' },
];

interface TimeFilter {
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
  return (
    <DateInput
      type="datetime-local"
      label={label}
      value={localForm(search.get(name))}
      onChange={(value) => setSearch({ [name]: value === '' ? undefined : new Date(value).toISOString() })}
    />
  );
}

/** For a datetime-local field: local time without a zone. */
function localForm(iso: string | null): string {
  const at = new Date(iso ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
