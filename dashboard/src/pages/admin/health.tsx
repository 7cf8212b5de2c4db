// Health: whether database, storage and browser respond, free memory and disk, and how much is stored.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { ago, bytes, date, number, uptime } from '#app/format.ts';
import { Code } from '#app/parts/copy.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { Chip, Loading, Problem } from '#app/parts/states.tsx';

type Answer = AnswerOf<'GET /admin/health'>;

const everyMs = 10_000;
const lowDisk = 0.1;

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

function Content({ health }: { health: Answer }) {
  const { checks, stored, browser, disk, memory } = health;
  return (
    <>
      <Section title="Checks">
        <ul className="divide-y divide-line">
          {checks.map(({ name, state, detail }) => (
            <li
              key={name}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5 first:pt-0 last:pb-0"
            >
              <span className="min-w-32 flex-1 font-medium first-letter:uppercase">{name}</span>
              {detail !== null && <span className="min-w-0 text-sm text-quiet wrap-anywhere">{detail}</span>}
              <Chip tone={state === 'ok' ? 'good' : 'danger'}>{state === 'ok' ? 'OK' : 'Failing'}</Chip>
            </li>
          ))}
        </ul>
      </Section>
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        <Figure
          title="Renders now"
          value={number(browser.running)}
          foot={browser.waiting === 0 ? 'none waiting' : `${number(browser.waiting)} waiting`}
        />
        {disk && (
          <Figure
            title="Disk"
            value={`${bytes(disk.free_bytes)} free`}
            foot={`of ${bytes(disk.total_bytes)}`}
            used={1 - disk.free_bytes / disk.total_bytes}
            isLow={disk.free_bytes < disk.total_bytes * lowDisk}
          />
        )}
        <Figure
          title="Memory"
          value={bytes(memory.used_bytes)}
          foot={`the service; ${bytes(memory.machine_free_bytes)} of ${bytes(memory.machine_total_bytes)} free`}
          used={1 - memory.machine_free_bytes / memory.machine_total_bytes}
        />
        <Figure
          title="Stored"
          value={bytes(stored.upload_bytes + stored.render_bytes)}
          foot={`${number(stored.uploads)} uploads and ${number(stored.renders)} hosted renders of all accounts, with deleted ones that can be restored`}
        />
      </div>
      <Browser browser={browser} />
      <Section title="Software">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-8 gap-y-1.5 text-sm">
          <Line name="Tintype">{health.version}</Line>
          <Line name="Runtime">{health.runtime}</Line>
          <Line name="Database">{health.database}</Line>
          <Line name="Browser">
            {browser.name} {browser.version}
          </Line>
        </dl>
      </Section>
    </>
  );
}

function Browser({ browser }: { browser: Answer['browser'] }) {
  const isOld = browser.is_old;
  return (
    <Section
      title="Browser"
      intro={`${browser.name} ${browser.version}, from ${browser.source}. Released ${ago(browser.released_at)}, on ${date(browser.released_at)}.`}
      actions={
        <>
          {isOld && <Chip tone="warn">Old</Chip>}
          {browser.sandboxed ? <Chip tone="good">Sandboxed</Chip> : <Chip tone="warn">No sandbox</Chip>}
        </>
      }
    >
      {(isOld || !browser.sandboxed) && (
        <div className="grid gap-3 text-sm text-quiet">
          {isOld && (
            <>
              <p>It opens untrusted pages, so keep it up to date:</p>
              <Code text={browser.renewal} what="How to update it" wrap />
            </>
          )}
          {!browser.sandboxed && (
            <p>
              The system does not let the browser isolate itself. Run the service where it can: see the
              operator’s guide.
            </p>
          )}
        </div>
      )}
    </Section>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}

function Figure({
  title,
  value,
  foot,
  used,
  isLow = false,
}: {
  title: string;
  value: string;
  foot: string;
  /** Fraction, 0 to 1. */
  used?: number;
  isLow?: boolean;
}) {
  return (
    <div className="card p-5">
      <h2 className="text-sm font-medium text-quiet">{title}</h2>
      <p className="mt-1 font-serif text-2xl font-semibold tabular-nums">{value}</p>
      <p className={`mt-1 text-sm wrap-anywhere ${isLow ? 'text-danger' : 'text-quiet'}`}>{foot}</p>
      {used !== undefined && (
        <div className="mt-3 h-1.5 overflow-hidden rounded-full bg-ink/10" aria-hidden="true">
          <div
            className={`h-full rounded-full ${isLow ? 'bg-danger' : 'bg-accent'}`}
            style={{ width: `${used * 100}%` }}
          />
        </div>
      )}
    </div>
  );
}
