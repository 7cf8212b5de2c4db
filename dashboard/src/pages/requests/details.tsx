// The details of one request: id, key, reason of an error, time per step, and what it made.
import type { ReactNode } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { duration, exactTime } from '#app/format.ts';
import { textLink } from '#app/pages/entry/frame.tsx';
import { CopyIcon } from '#app/parts/copy.tsx';
import { Link } from '#app/router.tsx';

export type RequestItem = AnswerOf<'GET /requests'>['items'][number];

const phaseNames: Record<string, string> = {
  receive: 'Receive the files',
  resolve: 'Look up the name',
  queue: 'Wait in the queue',
  navigate: 'Load the page',
  settle: 'Wait until the page is idle',
  capture: 'Capture',
  encode: 'Encode',
  store: 'Store',
};

export function Details({ item }: { item: RequestItem }) {
  return (
    <div className="grid gap-x-10 gap-y-5 border-t border-dashed bg-ink/2 px-4 py-4 text-sm lg:grid-cols-2">
      <dl className="grid content-start gap-y-2">
        <Fact name="Request id">
          <span className="inline-flex items-center gap-1">
            <code className="font-mono wrap-anywhere">{item.request_id}</code>
            <span className="-my-2">
              <CopyIcon text={item.request_id} what="request id" />
            </span>
          </span>
        </Fact>
        <Fact name="Time">
          {exactTime(item.at)} <span className="text-quiet">({item.at.slice(11, 19)} UTC)</span>
        </Fact>
        <Fact name="Key">
          {item.key_id === null ? (
            'none'
          ) : (
            <>
              {item.key_name ?? 'a deleted key'} <code className="font-mono text-quiet">{item.key_id}</code>
            </>
          )}
        </Fact>
        {item.code !== null && (
          <Fact name="Error">
            <code className="font-mono">{item.code}</code>
          </Fact>
        )}
        {item.field !== null && (
          <Fact name="Field">
            <code className="font-mono">{item.field}</code>
          </Fact>
        )}
        {item.reason !== null && <Fact name={item.status === 401 ? 'Reason' : 'Message'}>{item.reason}</Fact>}
        {item.status === 401 && (
          <Fact name="Note">The caller learns only that the key does not work, not why.</Fact>
        )}
        <Made item={item} />
      </dl>
      <Timing item={item} />
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] gap-3">
      <dt className="text-quiet">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

function Made({ item: { made } }: { item: RequestItem }) {
  if (made.length === 0) return null;
  return (
    <Fact name="Made">
      <ul className="grid gap-1">
        {made.map(({ kind, id }) => (
          <li key={id}>
            <Link to={`/${kind}s?open=${id}`} className={textLink}>
              {kind === 'upload' ? 'Open upload' : 'Open render'}{' '}
              <code className="font-mono text-[0.8125rem]">{id}</code>
            </Link>
          </li>
        ))}
      </ul>
    </Fact>
  );
}

/** The steps as a bar and as numbers. The remainder is time outside the steps: checking key and budget, sending the answer. */
function Timing({ item: { phases, duration_ms } }: { item: RequestItem }) {
  const known = phases.reduce((sum, { ms }) => sum + ms, 0);
  const steps = [
    ...phases.map(({ name, ms }) => ({ name: phaseNames[name] ?? name, ms })),
    { name: 'Check and answer', ms: Math.max(0, duration_ms - known) },
  ];
  const total = Math.max(1, known, duration_ms);
  return (
    <div>
      <h3 className="flex justify-between gap-4 font-medium">
        Timing <span className="tabular-nums">{duration(duration_ms)}</span>
      </h3>
      <div aria-hidden="true" className="mt-2 flex h-2 gap-px overflow-hidden rounded-full bg-ink/8">
        {steps.map(({ name, ms }, index) => (
          <span
            key={name}
            style={{ width: `${(100 * ms) / total}%`, background: colorOf(index, steps.length) }}
          />
        ))}
      </div>
      <ul className="mt-3 grid gap-1">
        {steps.map(({ name, ms }, index) => (
          <li key={name} className="flex items-center gap-2">
            <span
              aria-hidden="true"
              className="size-2.5 rounded-sm"
              style={{ background: colorOf(index, steps.length) }}
            />
            <span className="flex-1">{name}</span>
            <span className="text-quiet tabular-nums">{duration(ms)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const colorOf = (index: number, count: number): string =>
  index === count - 1 ? 'var(--chart-rest)' : `var(--chart-${index + 1})`;
