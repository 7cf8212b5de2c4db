// What the account's keys asked of the API in the last 30 days, and what they were answered.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf, QueryOf } from '#http/dashboard/contract.ts';
import { call } from '#app/api.ts';
import { ago, duration, exactTime } from '#app/format.ts';
import { LinkButton, Button } from '#app/parts/button.tsx';
import { CopyIcon } from '#app/parts/copy.tsx';
import { ChoiceFilter, Filters, NothingFits, SearchFilter } from '#app/parts/filters.tsx';
import { Page } from '#app/parts/page.tsx';
import { PagedList, usePaged } from '#app/parts/paged.tsx';
import { Chip, Empty } from '#app/parts/states.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';

type Item = AnswerOf<'GET /requests'>['items'][number];
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
  ...['upload', 'upload/batch', 'screenshot', 'pdf'].map((name) => ({
    value: `/api/v1/${name}`,
    text: name,
  })),
];
const ranges = [
  { value: '', text: '30 days' },
  { value: 'week', text: 'Last week' },
  { value: 'day', text: 'Last day' },
  { value: 'hour', text: 'Last hour' },
];
const liveEveryMs = 4_000;

export function Requests() {
  const [search] = useSearch();
  const [isLive, setLive] = useState(false);
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => call('GET /keys') });
  const filter = useSettled({
    outcome: (search.get('outcome') ?? undefined) as Query['outcome'],
    path: (search.get('path') ?? undefined) as Query['path'],
    within: (search.get('within') ?? undefined) as Query['within'],
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
      intro="Requests with your keys, kept for 30 days, with the message of every error. For a 401 you read here why, also where the caller is not told."
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
        <ChoiceFilter name="path" label="Path" choices={paths} />
        <ChoiceFilter name="within" label="Time" choices={ranges} />
        <ChoiceFilter
          name="key"
          label="Key"
          choices={[
            { value: '', text: 'All keys' },
            ...(keys.data?.items ?? []).map(({ id, name }) => ({ value: id, text: name })),
          ]}
        />
      </Filters>
      <PagedList query={query} empty={<None isFiltered={isFiltered} />}>
        {(items) => (
          <ul className="card divide-y divide-line">
            {items.map((item) => (
              <Row key={item.request_id} item={item} />
            ))}
          </ul>
        )}
      </PagedList>
    </Page>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <NothingFits title="No request fits" names={['outcome', 'path', 'within', 'key', 'search']}>
        Try another key, any outcome, or the whole request id.
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

function Row({ item }: { item: Item }) {
  const tone = item.status < 300 ? 'good' : item.status >= 500 ? 'danger' : 'warn';
  return (
    <li className="flex min-h-10 items-start gap-x-4 px-4 py-1.5 text-sm sm:px-5">
      <span className="w-11 shrink-0 pt-px">
        <Chip tone={tone}>{item.status}</Chip>
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <code className="w-44 font-mono wrap-anywhere">{item.path}</code>
          <time dateTime={item.at} title={ago(item.at)} className="w-48 text-quiet tabular-nums">
            {exactTime(item.at)}
          </time>
          <span className="w-20 text-right text-quiet tabular-nums">{duration(item.duration_ms)}</span>
          <span className="min-w-0 truncate text-quiet">{item.key_name ?? 'no key'}</span>
        </p>
        {item.code !== null && (
          <p className="wrap-anywhere">
            <span className="font-medium">{item.code}</span>
            {item.reason !== null && `: ${item.reason}`}
          </p>
        )}
      </div>
      <div className="flex items-center">
        <code className="font-mono text-xs text-quiet max-md:hidden">{item.request_id}</code>
        <CopyIcon text={item.request_id} what="request id" />
      </div>
    </li>
  );
}
