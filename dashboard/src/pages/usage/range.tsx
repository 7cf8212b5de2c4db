// The days that charts show: the last week, month, quarter or year, or any two days. The range is in the URL.
import type { QueryOf } from '#console/contract.ts';
import { serviceNow } from '#app/clock.ts';
import { DateInput } from '#app/parts/date-input.tsx';
import { Select } from '#app/parts/field.tsx';
import { useSearch } from '#app/router.tsx';

const presets = ['7', '30', '90', '365'];
const defaultDays = '30';

type Query = NonNullable<QueryOf<'GET /usage'>>;

/** The query for the range; a custom range that lacks a day falls back to 30 days. */
export function rangeQuery(search: URLSearchParams): Query {
  const [from, to] = [search.get('from'), search.get('to')];
  // The two days may be in either order.
  if (search.get('days') === 'custom' && from !== null && to !== null)
    return from <= to ? { from, to } : { from: to, to: from };
  return { days: Number(presets.find((days) => days === search.get('days')) ?? defaultDays) };
}

export function RangePicker() {
  const [search, setSearch] = useSearch();
  const chosen = search.get('days') ?? defaultDays;
  return (
    <div className="flex flex-wrap items-center gap-2.5">
      {chosen === 'custom' && (
        <>
          <Day name="from" label="From" />
          <Day name="to" label="To" />
        </>
      )}
      <Select
        aria-label="Days shown"
        choices={[
          ...presets.map((days) => ({ value: days, text: `Last ${days} days` })),
          { value: 'custom', text: 'Custom …' },
        ]}
        value={chosen}
        onChange={({ target }) =>
          setSearch(
            target.value === 'custom'
              ? { days: 'custom', from: isoDay(daysAgo(chosen)), to: isoDay(0) }
              : { days: target.value, from: undefined, to: undefined },
          )
        }
      />
    </div>
  );
}

/** Days are in UTC, as in the usage ledger. */
function Day({ name, label }: { name: 'from' | 'to'; label: string }) {
  const [search, setSearch] = useSearch();
  return (
    <DateInput
      type="date"
      label={label}
      max={isoDay(0)}
      value={search.get(name) ?? ''}
      onChange={(value) => setSearch({ [name]: value })}
    />
  );
}

/** A custom range starts with the days that were shown before. */
const daysAgo = (days: string): number => (Number(days) || Number(defaultDays)) - 1;
const isoDay = (ago: number): string => new Date(serviceNow() - ago * 86_400_000).toISOString().slice(0, 10);
