// Every plan of the service, for its owner: what it allows, where it comes from and how many accounts have it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { number, plural } from '#app/format.ts';
import { NewPlan, PlanDialog } from '#app/pages/admin/plan-dialogs.tsx';
import { Button } from '#app/parts/button.tsx';
import { Page } from '#app/parts/page.tsx';
import { Chip, Loading, Problem } from '#app/parts/states.tsx';

export type ListedPlan = AnswerOf<'GET /admin/plans'>['items'][number];

export function Plans() {
  const [openedId, setOpenedId] = useState<string>();
  const [isNew, setNew] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['plans'],
    queryFn: () => call('GET /admin/plans'),
  });
  const opened = data?.items.find(({ id }) => id === openedId);
  return (
    <Page
      title="Plans"
      intro="What accounts may use. Changes apply from the next request on and are in the audit log."
      actions={
        <Button tone="primary" icon="plus" disabled={!data} onClick={() => setNew(true)}>
          New plan
        </Button>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <ul className="card divide-y divide-line overflow-hidden">
          {data.items.map((plan) => (
            <Row key={plan.id} plan={plan} onOpen={() => setOpenedId(plan.id)} />
          ))}
        </ul>
      )}
      {opened && <PlanDialog plan={opened} onClose={() => setOpenedId(undefined)} />}
      {isNew && <NewPlan onClose={() => setNew(false)} />}
    </Page>
  );
}

function Row({ plan, onOpen }: { plan: ListedPlan; onOpen: () => void }) {
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="flex w-full flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3.5 text-left outline-offset-[-3px] transition hover:bg-ink/3 sm:px-5"
      >
        <span className="min-w-0 flex-1 basis-56">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{plan.name}</span>
            {plan.source === 'file' && <Chip>From the file</Chip>}
            {plan.source === 'built-in' && <Chip>Built in</Chip>}
            {plan.source === 'dashboard' && plan.built_in && <Chip tone="accent">Changed</Chip>}
          </span>
          <span className="block text-sm text-quiet">
            <span className="font-mono text-[0.8125rem] wrap-anywhere">{plan.id}</span> ·{' '}
            {plural(plan.accounts, 'account')}
          </span>
        </span>
        <span className="text-sm text-quiet tabular-nums sm:text-right">
          {number(plan.uploads_per_month)} uploads · {number(plan.renders_per_month)} renders a month
          <span className="block text-xs">
            {number(plan.requests_per_minute)} requests a minute · {number(plan.concurrent_renders)} at once
          </span>
        </span>
      </button>
    </li>
  );
}
