// What was used, by day and key; the plan; and what happens past its quota.
import { useQuery } from '@tanstack/react-query';
import { call, fileAddress } from '#app/api.ts';
import { date, number, span } from '#app/format.ts';
import { Overages } from '#app/pages/usage/overages.tsx';
import { UsageChart } from '#app/pages/usage/usage-chart.tsx';
import { AnchorButton } from '#app/parts/button.tsx';
import { Select } from '#app/parts/field.tsx';
import { QuotaMeter } from '#app/parts/meter.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { Loading, Problem } from '#app/parts/states.tsx';
import { useSearch } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

const ranges = [7, 30, 90, 365];

export function Usage() {
  const [search, setSearch] = useSearch();
  const days = ranges.find((range) => String(range) === search.get('days')) ?? 30;
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', days],
    queryFn: () => call('GET /usage', { query: { days } }),
    placeholderData: (previous) => previous,
  });
  return (
    <Page
      title="Usage and plan"
      intro="Units count when something was stored or rendered; failed and refused requests cost none."
      actions={
        <>
          <Select
            aria-label="Days shown"
            choices={ranges.map((range) => ({ value: String(range), text: `Last ${range} days` }))}
            value={String(days)}
            onChange={(event) => setSearch({ days: event.target.value })}
          />
          <AnchorButton href={fileAddress('/usage.csv', { days })} download icon="download">
            CSV
          </AnchorButton>
        </>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <QuotaMeter
              title="Uploads this month"
              unit={data.units.upload}
              foot={`${number(data.units.upload.remaining)} left until ${date(data.resets_at)}`}
            />
            <QuotaMeter
              title="Renders this month"
              unit={data.units.render}
              foot={`${number(data.units.render.remaining)} left until ${date(data.resets_at)}`}
            />
          </div>
          <Section title="Uploads by day" intro="One unit per stored file.">
            <UsageChart usage={data} unit="upload" />
          </Section>
          <Section title="Renders by day" intro="One unit per successful screenshot or PDF.">
            <UsageChart usage={data} unit="render" />
          </Section>
          <Overages usage={data} />
          <PlanCard plan={data.plan} />
        </>
      )}
    </Page>
  );
}

function PlanCard({ plan }: { plan: Session['plan'] }) {
  const facts: [string, string][] = [
    ['Uploads each month', number(plan.uploads_per_month)],
    ['Renders each month', number(plan.renders_per_month)],
    ['Requests each minute', number(plan.requests_per_minute)],
    ['Renders at once', number(plan.concurrent_renders)],
    [
      'Life of a link',
      plan.max_link_seconds === null ? 'no limit' : `at most ${span(plan.max_link_seconds)}`,
    ],
    ['Overages', plan.overages ? 'available' : 'not on this plan'],
  ];
  return (
    <Section
      title={`The ${plan.name} plan`}
      intro={
        <>
          To change it, write to <Operator />.
        </>
      }
    >
      <dl className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-sm text-quiet">{name}</dt>
            <dd className="font-serif text-lg font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
