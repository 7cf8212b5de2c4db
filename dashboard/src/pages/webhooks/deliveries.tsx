// The log of messages, each with its attempts, and the button that sends one again.
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { QueryOf } from '#console/contract.ts';
import type { Delivery, Endpoint } from '#console/webhooks.ts';
import { call } from '#app/api.ts';
import { ago, duration, exactTime, time } from '#app/format.ts';
import { Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { ChoiceFilter, Filters } from '#app/parts/filters.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { PagedList, usePaged } from '#app/parts/paged.tsx';
import { Chip, Problem } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { useSearch } from '#app/router.tsx';

type Query = NonNullable<QueryOf<'GET /webhooks/deliveries'>>;

const states = [
  { value: '', text: 'All messages' },
  { value: 'waiting', text: 'Waiting' },
  { value: 'delivered', text: 'Delivered' },
  { value: 'failed', text: 'Failed' },
];
const tones = { waiting: 'warn', delivered: 'good', failed: 'danger' } as const;
const refreshMs = 5_000;

export function Deliveries({ endpoints, canSend }: { endpoints: Endpoint[]; canSend: boolean }) {
  const [search] = useSearch();
  const [opened, setOpened] = useState<string>();
  const filter = {
    endpoint_id: search.get('endpoint') ?? undefined,
    state: (search.get('state') ?? undefined) as Query['state'],
  };
  const query = usePaged(
    ['deliveries', filter],
    (cursor) => call('GET /webhooks/deliveries', { query: { ...filter, cursor, limit: 25 } }),
    refreshMs,
  );
  return (
    <section className="grid gap-4" aria-labelledby="messages">
      <div>
        <h2 id="messages" className="font-serif text-lg font-semibold">
          Messages
        </h2>
        <p className="text-sm text-quiet">
          The newest 500 of each endpoint, for up to 30 days. A message that is not taken is tried eight times
          over a day.
        </p>
      </div>
      <Filters>
        <ChoiceFilter name="state" label="State" choices={states} />
        <ChoiceFilter
          name="endpoint"
          label="Endpoint"
          choices={[
            { value: '', text: 'All endpoints' },
            ...endpoints.map(({ id, url }) => ({ value: id, text: url })),
          ]}
        />
      </Filters>
      <PagedList query={query} empty={<p className="text-quiet">No messages.</p>}>
        {(items) => (
          <ul className="card divide-y divide-line overflow-hidden">
            {items.map((item) => (
              <Row
                key={item.id}
                item={item}
                isOpen={item.id === opened}
                onToggle={() => setOpened(item.id === opened ? undefined : item.id)}
                canSend={canSend}
              />
            ))}
          </ul>
        )}
      </PagedList>
    </section>
  );
}

function Row({
  item,
  isOpen,
  onToggle,
  canSend,
}: {
  item: Delivery;
  isOpen: boolean;
  onToggle: () => void;
  canSend: boolean;
}) {
  const detailsId = useId();
  const last = item.attempts.at(-1);
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={onToggle}
        className={`flex min-h-11 w-full flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-left text-sm outline-offset-[-3px] transition hover:bg-ink/3 ${isOpen ? 'bg-ink/3' : ''}`}
      >
        <Chip tone={tones[item.state]}>{item.state}</Chip>
        <code className="font-mono text-[0.8125rem]">{item.event}</code>
        <span className="min-w-0 flex-1 basis-40 truncate text-quiet">{item.url}</span>
        {last && <span className="text-quiet">{outcomeOf(last)}</span>}
        <time
          dateTime={item.created_at}
          title={exactTime(item.created_at)}
          className="text-quiet tabular-nums"
        >
          {ago(item.created_at)}
        </time>
        <Icon
          name="right"
          className={`size-4 text-quiet transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      <div id={detailsId}>{isOpen && <Details item={item} canSend={canSend} />}</div>
    </li>
  );
}

function Details({ item, canSend }: { item: Delivery; canSend: boolean }) {
  const { id } = item;
  const { data, error } = useQuery({
    // Never changes, so it is not loaded again with the list.
    queryKey: ['body of a delivery', id],
    staleTime: Infinity,
    queryFn: () => call('GET /webhooks/deliveries/:id', { id }),
  });
  const again = useAction(() => call('POST /webhooks/deliveries/:id/send', { id }), {
    touches: ['deliveries', 'webhooks'],
    done: 'Sent again.',
  });
  return (
    <div className="grid gap-4 border-t bg-paper/60 px-4 py-4">
      <div className="overflow-x-auto">
        <table className="w-full text-left text-sm">
          <thead className="text-xs text-quiet">
            <tr>
              {['Attempt', 'When', 'Answer', 'Took'].map((name) => (
                <th key={name} scope="col" className="py-1 pr-4 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {item.attempts.map((attempt) => (
              <tr key={attempt.number}>
                <td className="py-1 pr-4">{attempt.number}</td>
                <td className="py-1 pr-4">{exactTime(attempt.at)}</td>
                <td className="py-1 pr-4">{outcomeOf(attempt)}</td>
                <td className="py-1 pr-4">{duration(attempt.duration_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {item.next_at !== null && <p className="text-sm text-quiet">Next attempt {time(item.next_at)}.</p>}
      {error && <Problem error={error} />}
      {data && <Code text={JSON.stringify(data.body, null, 2)} what="Body" />}
      {item.state !== 'waiting' && (
        <div>
          <Button
            small
            icon="refresh"
            disabled={!canSend}
            busy={again.isPending}
            onClick={() => again.mutate(undefined)}
          >
            Send again
          </Button>
        </div>
      )}
    </div>
  );
}

const failures: Record<string, string> = {
  not_public: 'address not public',
  unreachable: 'no connection',
  certificate: 'certificate not valid',
  timeout: 'no answer in 10 s',
  malformed: 'not HTTP',
  deleted: 'not sent: the render was deleted',
};

const outcomeOf = ({ status, failure }: Delivery['attempts'][number]): string =>
  status === null ? (failures[failure ?? ''] ?? 'no answer') : String(status);
