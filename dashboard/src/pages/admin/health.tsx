// Whether database, storage and browser answer, and how much is stored.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#http/dashboard/contract.ts';
import { call } from '#app/api.ts';
import { bytes, number, uptime } from '#app/format.ts';
import { Page, Section } from '#app/parts/page.tsx';
import { Chip, Loading, Problem } from '#app/parts/states.tsx';

type Answer = AnswerOf<'GET /admin/health'>;

const everyMs = 10_000;

export function Health() {
  const { data, error, refetch } = useQuery({
    queryKey: ['health'],
    queryFn: () => call('GET /admin/health'),
    refetchInterval: everyMs,
  });
  return (
    <Page
      title="Health"
      intro={data && `The service has been running on this machine for ${uptime(data.uptime_seconds)}.`}
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <Content health={data} />}
    </Page>
  );
}

function Content({ health: { checks, stored, browser } }: { health: Answer }) {
  return (
    <>
      <Section title="Checks">
        <ul className="divide-y divide-line">
          {checks.map(({ name, state, detail }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-3 first:pt-0 last:pb-0">
              <span className="min-w-32 flex-1 font-medium first-letter:uppercase">{name}</span>
              {detail !== null && <span className="min-w-0 text-sm text-quiet wrap-anywhere">{detail}</span>}
              <State state={state} />
            </li>
          ))}
        </ul>
      </Section>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <Figure title="Stored uploads" value={number(stored.uploads)} foot={bytes(stored.upload_bytes)} />
        <Figure title="Hosted renders" value={number(stored.renders)} foot={bytes(stored.render_bytes)} />
        <Figure
          title="Renders now"
          value={number(browser.running)}
          foot={browser.waiting === 0 ? 'none waiting' : `${number(browser.waiting)} waiting`}
        />
      </div>
      <Section
        title="Browser"
        intro={`${browser.name} ${browser.version}, from ${browser.source}.`}
        actions={browser.sandboxed ? <Chip tone="good">Sandboxed</Chip> : <Chip tone="warn">No sandbox</Chip>}
      >
        {!browser.sandboxed && (
          <p className="text-sm text-quiet">
            The system does not let the browser isolate itself. Run the service where it can: see the
            operator’s guide.
          </p>
        )}
      </Section>
    </>
  );
}

function State({ state }: { state: 'ok' | 'failing' }) {
  return <Chip tone={state === 'ok' ? 'good' : 'danger'}>{state === 'ok' ? 'OK' : 'Failing'}</Chip>;
}

function Figure({ title, value, foot }: { title: string; value: string; foot: string }) {
  return (
    <div className="card p-5">
      <h2 className="text-sm font-medium text-quiet">{title}</h2>
      <p className="mt-1 font-serif text-2xl font-semibold tabular-nums">{value}</p>
      <p className="mt-1 text-sm text-quiet wrap-anywhere">{foot}</p>
    </div>
  );
}
