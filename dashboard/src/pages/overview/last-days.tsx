// The last 30 days: uploads and renders, outcomes of requests, and response times.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { Chart } from '#app/charts/chart.tsx';
import { unitsByKind } from '#app/charts/data.ts';
import { number } from '#app/format.ts';
import { LinkButton } from '#app/parts/button.tsx';
import { Section } from '#app/parts/page.tsx';
import { Loading, Problem } from '#app/parts/states.tsx';
import { Link } from '#app/router.tsx';

const everyMs = 60_000;

export function LastDays() {
  const range = { days: 30 };
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', range],
    queryFn: () => call('GET /usage', { query: range }),
    refetchInterval: everyMs,
  });
  return (
    <Section
      title="Last 30 days"
      intro="What was stored and rendered, also if it was deleted since."
      actions={
        <LinkButton to="/usage" small tone="quiet">
          Usage in detail
        </LinkButton>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data && <Content usage={data} />}
    </Section>
  );
}

function Content({ usage }: { usage: AnswerOf<'GET /usage'> }) {
  const made = unitsByKind(usage);
  const [uploads = 0, renders = 0] = made.series.map(({ total = 0 }) => total);
  const sum = (pick: (step: (typeof usage.requests)[number]) => number): number =>
    usage.requests.reduce((total, step) => total + pick(step), 0);
  const refused = sum((step) => step.refused);
  const failed = sum((step) => step.failed);
  const requests = sum((step) => step.succeeded) + refused + failed;
  const errors = refused + failed;
  return (
    <>
      <dl className="mb-6 grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
        <Fact name="Uploads" value={number(uploads)} />
        <Fact name="Renders" value={number(renders)} />
        <Fact name="Requests by key" value={number(requests)} />
        <Fact name="Errors by key" value={number(errors)}>
          {errors > 0 && (
            <Link to="/requests?outcome=failed" className="hover:text-ink hover:underline">
              {shareOf(errors, requests)} of requests
            </Link>
          )}
        </Fact>
      </dl>
      <Chart title="Uploads and renders by day" data={made} empty="Nothing was stored or rendered yet." />
    </>
  );
}

function Fact({ name, value, children }: { name: string; value: string; children?: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-quiet">{name}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-serif text-3xl font-semibold tabular-nums">{value}</span>
        <span className="text-sm text-quiet tabular-nums">{children}</span>
      </dd>
    </div>
  );
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const shareOf = (part: number, whole: number): string => percent.format(part / whole);
