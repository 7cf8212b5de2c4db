// One API key: what it may do, how much and from where it was used, and its latest requests.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '#console/views.ts';
import { unitsByKind } from '#app/charts/data.ts';
import { Chart } from '#app/charts/chart.tsx';
import { call } from '#app/api.ts';
import { ago, number, ownQuotaOf, scopeNames, time } from '#app/format.ts';
import { Headings, Row } from '#app/pages/requests/row.tsx';
import { LinkButton } from '#app/parts/button.tsx';
import { Facts } from '#app/parts/dialog.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { Empty, Loading, Problem } from '#app/parts/states.tsx';
import { useSearch } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

const requestsShown = 20;

export function KeyPage({ session }: { session: Session }) {
  const [search] = useSearch();
  const id = search.get('id') ?? '';
  const { data, error, refetch } = useQuery({ queryKey: ['keys'], queryFn: () => call('GET /keys') });
  const key = data?.items.find((item) => item.id === id);
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (!key)
    return (
      <Empty icon="keys" title="There is no such key" action={<LinkButton to="/keys">All keys</LinkButton>}>
        The address may be mistyped, or the key was deleted after it had ended.
      </Empty>
    );
  return (
    <Page
      title={key.name}
      intro={<code className="font-mono text-sm">{key.display}</code>}
      actions={<LinkButton to="/keys">All keys</LinkButton>}
    >
      <div className="grid gap-6 lg:grid-cols-[2fr_1fr]">
        <Use id={id} />
        <Section title="Limits" intro="All keys of the account share its budget and its quota.">
          <Facts facts={limitsOf(key, session)} />
        </Section>
      </div>
      <Section title="Used from" intro="The last five addresses. If you do not know one, revoke the key.">
        {key.addresses.length === 0 ? (
          <p className="text-quiet">It was not used yet.</p>
        ) : (
          <Facts facts={key.addresses.map(({ address, last_used_at }) => [address, ago(last_used_at)])} />
        )}
      </Section>
      <Latest id={id} />
    </Page>
  );
}

function limitsOf(key: Key, { plan }: Session): [string, string][] {
  return [
    ['May be used for', scopeNames[key.scope]],
    ['State', states[key.state] ?? key.state],
    ['Expires', key.ends_at === null ? 'never' : time(key.ends_at)],
    ['Created', time(key.created_at)],
    ['Last used', key.last_used_at === null ? 'never' : ago(key.last_used_at)],
    ['Requests each minute', number(plan.requests_per_minute)],
    ['Renders at once', number(plan.concurrent_renders)],
    ...ownQuotaOf(key).map(({ unit, used, limit }): [string, string] => [
      `Its own ${unit}s this month`,
      `${number(used)} of ${number(limit)} used`,
    ]),
  ];
}

const states: Record<string, string> = {
  active: 'works',
  ending: 'works until it ends',
  revoked: 'revoked',
  expired: 'expired',
};

function Use({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['usage', { days: 30 }],
    queryFn: () => call('GET /usage', { query: { days: 30 } }),
  });
  return (
    <Section title="Last 30 days" intro="Units that this key used.">
      {data ? (
        <Chart
          title="Units of this key by day"
          data={unitsByKind({ ...data, daily: data.daily.filter(({ key_id }) => key_id === id) })}
          empty="This key stored and rendered nothing."
        />
      ) : (
        <Loading rows={2} />
      )}
    </Section>
  );
}

function Latest({ id }: { id: string }) {
  const [open, setOpen] = useState<string>();
  const { data } = useQuery({
    queryKey: ['requests', 'of', id],
    queryFn: () => call('GET /requests', { query: { key_id: id, limit: requestsShown } }),
  });
  return (
    <Section
      title="Latest requests"
      actions={
        <LinkButton to={`/requests?key=${id}`} small tone="quiet">
          All of them
        </LinkButton>
      }
    >
      {!data && <Loading rows={2} />}
      {data?.items.length === 0 && <p className="text-quiet">None within the time that the log covers.</p>}
      {data && data.items.length > 0 && (
        <div className="-mx-4 border-t">
          <Headings />
          <ul className="divide-y divide-line">
            {data.items.map((item) => (
              <Row
                key={item.request_id}
                item={item}
                isOpen={open === item.request_id}
                onToggle={() => setOpen(open === item.request_id ? undefined : item.request_id)}
              />
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}
