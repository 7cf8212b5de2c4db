// The first page: usage at a glance, first steps, and what came in last.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#http/dashboard/contract.ts';
import { call } from '#app/api.ts';
import { date, number } from '#app/format.ts';
import { FirstSteps, isDone } from '#app/pages/overview/first-steps.tsx';
import { RecentRenders, RecentUploads } from '#app/pages/overview/recent.tsx';
import { LinkButton } from '#app/parts/button.tsx';
import { Meter, QuotaMeter } from '#app/parts/meter.tsx';
import { Page } from '#app/parts/page.tsx';
import { Loading, Problem } from '#app/parts/states.tsx';

const stepsEveryMs = 3_000;
const requestsEveryMs = 15_000;

export function Overview() {
  const { data, error, refetch } = useQuery({
    queryKey: ['overview'],
    queryFn: () => call('GET /overview'),
    // While the first steps are open they tick themselves off.
    refetchInterval: ({ state }) =>
      state.data && !isDone(state.data.first_steps) ? stepsEveryMs : requestsEveryMs,
  });
  return (
    <Page
      title="Overview"
      intro={data && `The ${data.plan.name} plan. Usage counts from the first of each month, UTC.`}
      actions={
        <LinkButton to="/playground" icon="playground">
          Try it
        </LinkButton>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <Content overview={data} />}
    </Page>
  );
}

function Content({ overview }: { overview: AnswerOf<'GET /overview'> }) {
  const { units, requests, resets_at, recent_uploads, recent_renders } = overview;
  const steps = {
    ...overview.first_steps,
    // The key's last use is written down a little later than what it made.
    has_used_key:
      overview.first_steps.has_used_key ||
      [...recent_uploads, ...recent_renders].some(({ key_id }) => key_id !== null),
  };
  const left = (unit: { remaining: number }) => `${number(unit.remaining)} left until ${date(resets_at)}`;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <QuotaMeter title="Uploads this month" unit={units.upload} foot={left(units.upload)} />
        <QuotaMeter title="Renders this month" unit={units.render} foot={left(units.render)} />
        <Meter
          title="Requests this minute"
          used={requests.used}
          limit={requests.limit}
          foot={`The window rolls over in ${requests.reset_seconds} s`}
        />
      </div>
      {!isDone(steps) && <FirstSteps steps={steps} />}
      <RecentUploads uploads={recent_uploads} />
      <RecentRenders renders={recent_renders} />
    </>
  );
}
