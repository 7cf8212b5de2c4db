// Usage by day and key, the plan, and overages.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#console/handlers.ts';
import { call, fileAddress } from '#app/api.ts';
import { Chart, fullName } from '#app/charts/chart.tsx';
import { answerTimes, requestsByOutcome, unitsByKey } from '#app/charts/data.ts';
import { date, duration, number, span } from '#app/format.ts';
import { Overages } from '#app/pages/usage/overages.tsx';
import { RangePicker, rangeQuery } from '#app/pages/usage/range.tsx';
import { AnchorButton, LinkButton } from '#app/parts/button.tsx';
import { QuotaMeter } from '#app/parts/meter.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { Loading, Problem } from '#app/parts/states.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';
import { Link } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

export function Usage({ session }: { session: Session }) {
  const [search] = useSearch();
  const range = useSettled(rangeQuery(search));
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', range],
    queryFn: () => call('GET /usage', { query: range }),
    placeholderData: (previous) => previous,
  });
  return (
    <Page
      title="Usage and plan"
      intro="Units count when something was stored or rendered; failed and refused requests cost none."
      actions={
        <>
          <RangePicker />
          <AnchorButton href={fileAddress('/usage.csv', { ...range })} download icon="download">
            CSV
          </AnchorButton>
        </>
      }
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
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
          <Charts usage={data} />
          <Overages usage={data} />
          <PlanCard session={session} />
        </>
      )}
    </Page>
  );
}

function Charts({ usage }: { usage: AnswerOf<'GET /usage'> }) {
  const nothing = `Nothing from ${fullName(usage.from)} to ${fullName(usage.to)}.`;
  const by = usage.step_days === 1 ? 'day' : 'week';
  return (
    <>
      <Section title={`Uploads by ${by}`} intro="One unit per stored file.">
        <Chart title="Uploads by key" data={unitsByKey(usage, 'upload')} empty={nothing} />
      </Section>
      <Section title={`Renders by ${by}`} intro="One unit per successful screenshot or PDF.">
        <Chart title="Renders by key" data={unitsByKey(usage, 'render')} empty={nothing} />
      </Section>
      <Section
        title="Requests and errors"
        intro="Every request with one of your keys, including those that used no unit."
        actions={
          <LinkButton to="/requests?outcome=failed" small tone="quiet">
            Failed requests
          </LinkButton>
        }
      >
        <Chart title="Requests by outcome" data={requestsByOutcome(usage)} empty={nothing} />
      </Section>
      <div className="grid gap-6 xl:grid-cols-2">
        {(['upload', 'render'] as const).map((unit) => (
          <Section
            key={unit}
            title={unit === 'upload' ? 'Time per upload' : 'Time per render'}
            intro="Successful requests, from the first byte to the answer."
          >
            <Chart
              title={unit === 'upload' ? 'Time per upload' : 'Time per render'}
              kind="lines"
              format={duration}
              axis={(ms) => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`)}
              data={answerTimes(usage, unit)}
              empty={nothing}
            />
          </Section>
        ))}
      </div>
    </>
  );
}

function PlanCard({ session }: { session: Session }) {
  const { plan } = session;
  const facts: [string, string][] = [
    ['Uploads each month', number(plan.uploads_per_month)],
    ['Renders each month', number(plan.renders_per_month)],
    ['Requests each minute', number(plan.requests_per_minute)],
    ['Renders at once', number(plan.concurrent_renders)],
    ['Link lifetime', plan.max_link_seconds === null ? 'no limit' : `at most ${span(plan.max_link_seconds)}`],
    ['Overages', plan.overages ? 'available' : 'not on this plan'],
  ];
  return (
    <Section
      title={`The ${plan.name} plan`}
      intro={
        session.owner ? (
          <>
            You change plans on the page{' '}
            <Link to="/admin/accounts" className="underline">
              Accounts
            </Link>
            .
          </>
        ) : (
          <>
            To change it, write to <Operator />.
          </>
        )
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
