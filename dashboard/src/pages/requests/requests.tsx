// The log of API requests made with the account's keys in the last 30 days.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { QueryOf } from '#console/contract.ts';
import { loggedPaths } from '#api/contract.ts';
import { call } from '#app/api.ts';
import { Headings, Row } from '#app/pages/requests/row.tsx';
import { timeFilter, TimeRange } from '#app/pages/requests/time-range.tsx';
import { LinkButton, Button } from '#app/parts/button.tsx';
import { ChoiceFilter, Filters, NothingFits, SearchFilter } from '#app/parts/filters.tsx';
import { Page } from '#app/parts/page.tsx';
import { PagedList, usePaged } from '#app/parts/paged.tsx';
import { Empty } from '#app/parts/states.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';

type Query = NonNullable<QueryOf<'GET /requests'>>;

const outcomes = [
  { value: '', text: 'All outcomes' },
  { value: 'succeeded', text: 'Succeeded' },
  { value: 'failed', text: 'Failed' },
  { value: '4xx', text: '4xx: refused' },
  { value: '5xx', text: '5xx: failed here' },
];
const paths = [
  { value: '', text: 'All paths' },
  ...loggedPaths.map((path) => ({ value: path, text: path.replace('/api/', '') })),
];
const liveEveryMs = 4_000;

export function Requests() {
  const [search, setSearch] = useSearch();
  const opened = search.get('open');
  const [isLive, setLive] = useState(false);
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => call('GET /keys') });
  const filter = useSettled({
    outcome: (search.get('outcome') ?? undefined) as Query['outcome'],
    path: search.get('path') ?? undefined,
    ...timeFilter(search),
    key_id: search.get('key') ?? undefined,
    search: search.get('search') ?? undefined,
  });
  const query = usePaged(
    ['requests', filter],
    (cursor) => call('GET /requests', { query: { ...filter, cursor, limit: 50 } }),
    isLive ? liveEveryMs : undefined,
  );
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Page
      title="Request log"
      intro="Requests with your keys in the last 30 days. Open one to see why it failed, where its time went and what it made."
      actions={
        <>
          <Button aria-pressed={isLive} onClick={() => setLive(!isLive)}>
            {isLive ? 'Pause' : 'Follow live'}
          </Button>
          <Button icon="refresh" busy={query.isRefetching && !isLive} onClick={() => void query.refetch()}>
            Refresh
          </Button>
        </>
      }
    >
      <Filters>
        <SearchFilter label="Search by request id" />
        <ChoiceFilter name="outcome" label="Outcome" choices={outcomes} />
        <ChoiceFilter name="path" label="Path" className="max-w-52" choices={paths} />
        <ChoiceFilter
          name="key"
          label="Key"
          className="max-w-52"
          choices={[
            { value: '', text: 'All keys' },
            ...(keys.data?.items ?? []).map(({ id, name }) => ({ value: id, text: name })),
          ]}
        />
        <TimeRange />
      </Filters>
      <PagedList query={query} empty={<None isFiltered={isFiltered} />}>
        {(items) => (
          <div className="overflow-hidden card">
            <Headings />
            <ul className="divide-y divide-line">
              {items.map((item) => (
                <Row
                  key={item.request_id}
                  item={item}
                  isOpen={item.request_id === opened}
                  onToggle={() =>
                    setSearch({ open: item.request_id === opened ? undefined : item.request_id })
                  }
                />
              ))}
            </ul>
          </div>
        )}
      </PagedList>
    </Page>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <NothingFits
        title="No matching requests"
        names={['outcome', 'path', 'within', 'since', 'until', 'key', 'search']}
      >
        Try another key or time, any outcome, or the whole request id.
      </NothingFits>
    );
  return (
    <Empty
      icon="requests"
      title="No requests yet"
      action={
        <LinkButton to="/keys" icon="keys">
          Your keys
        </LinkButton>
      }
    >
      Every request with one of your keys is listed here, with its status, its duration and its id.
    </Empty>
  );
}
