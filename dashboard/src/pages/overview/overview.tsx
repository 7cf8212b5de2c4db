// The first page: usage, first steps, and the latest uploads and renders.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { date, number } from '#app/format.ts';
import { FirstSteps, isDone } from '#app/pages/overview/first-steps.tsx';
import { LastDays } from '#app/pages/overview/last-days.tsx';
import { RecentRenders, RecentUploads } from '#app/pages/overview/recent.tsx';
import { Button, LinkButton } from '#app/parts/button.tsx';
import { QuotaMeter } from '#app/parts/meter.tsx';
import { Page } from '#app/parts/page.tsx';
import { Loading, Problem } from '#app/parts/states.tsx';
import { useNow } from '#app/parts/use-now.ts';
import type { Session } from '#app/session.ts';
import { chooseFiles } from '#app/uploading/intake.tsx';

const stepsEveryMs = 3_000;
const defaultEveryMs = 5_000;

export function Overview({ session }: { session: Session }) {
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['overview'],
    queryFn: () => call('GET /overview'),
    // Poll while first steps are open, so that they are ticked off when done.
    refetchInterval: ({ state }) =>
      state.data && !isDone(state.data.first_steps) ? stepsEveryMs : defaultEveryMs,
  });
  return (
    <Page
      title="Overview"
      intro={data && `The ${data.plan.name} plan. Usage counts from the first of each month, UTC.`}
      actions={
        <>
          <LinkButton to="/playground" icon="playground">
            Open playground
          </LinkButton>
          <Button tone="primary" icon="upload" onClick={chooseFiles} disabled={!session.verified}>
            Upload
          </Button>
        </>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <Content overview={data} at={dataUpdatedAt} accountId={session.id} />}
    </Page>
  );
}

/** The request budget of the current minute, counting down between two responses. */
function RequestsNow({ requests, at }: { requests: AnswerOf<'GET /overview'>['requests']; at: number }) {
  const now = useNow(1_000);
  const seconds = Math.ceil(requests.reset_seconds - (now - at) / 1000);
  const isOver = seconds <= 0;
  return (
    <p className="text-sm text-quiet tabular-nums">
      Requests this minute:{' '}
      <span className="font-medium text-ink">
        {number(isOver ? 0 : requests.used)} of {number(requests.limit)}
      </span>
      {!isOver && requests.used > 0 && `, refills in ${seconds} s`}
    </p>
  );
}

function Content({
  overview,
  at,
  accountId,
}: {
  overview: AnswerOf<'GET /overview'>;
  at: number;
  accountId: string;
}) {
  const { units, requests, resets_at, recent_uploads, recent_renders } = overview;
  const steps = {
    ...overview.first_steps,
    // A key's last use is recorded slightly later than its upload or render.
    has_used_key:
      overview.first_steps.has_used_key ||
      [...recent_uploads, ...recent_renders].some(({ key_id }) => key_id !== null),
  };
  const left = (unit: { remaining: number }) => `${number(unit.remaining)} left until ${date(resets_at)}`;
  return (
    <>
      {!isDone(steps) && <FirstSteps steps={steps} accountId={accountId} />}
      <LastDays />
      <div className="grid gap-4 sm:grid-cols-2">
        <QuotaMeter title="Uploads this month" unit={units.upload} foot={left(units.upload)} />
        <QuotaMeter title="Renders this month" unit={units.render} foot={left(units.render)} />
      </div>
      <RequestsNow requests={requests} at={at} />
      <RecentUploads uploads={recent_uploads} />
      <RecentRenders renders={recent_renders} />
    </>
  );
}
