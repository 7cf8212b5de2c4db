// API keys: create, change, rotate, revoke.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '#console/views.ts';
import { call } from '#app/api.ts';
import { ago, date, number, ownQuotaOf, scopeNames, time } from '#app/format.ts';
import { ChangeKey, CreateKey, RevokeKey, RotateKey } from '#app/pages/keys/key-dialogs.tsx';
import { Button, IconButton } from '#app/parts/button.tsx';
import { Page } from '#app/parts/page.tsx';
import { Chip, Empty, Loading, Problem } from '#app/parts/states.tsx';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import { Link } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

type Open = { what: 'create' } | { what: 'change' | 'rotate' | 'revoke'; key: Key };

export function Keys({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>();
  const { data, error, refetch } = useQuery({ queryKey: ['keys'], queryFn: () => call('GET /keys') });
  const hasEnded = ({ state }: Key) => state === 'revoked' || state === 'expired';
  const working = data?.items.filter((key) => !hasEnded(key)) ?? [];
  const ended = data?.items.filter(hasEnded) ?? [];
  const close = () => setOpen(undefined);
  return (
    <Page
      title="API keys"
      intro="A key can be narrowed to uploads or renders, can expire, and can have a quota of its own within that of the account."
      actions={
        <Button
          tone="primary"
          icon="plus"
          onClick={() => setOpen({ what: 'create' })}
          disabled={!session.verified || (data !== undefined && working.length >= data.limit)}
        >
          Create a key
        </Button>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && working.length >= data.limit && (
        <p className="text-quiet">
          You have {data.limit} keys, the most an account can have. Revoke one to create another.
        </p>
      )}
      {data && working.length === 0 && (
        <Empty
          icon="keys"
          title="No keys yet"
          action={
            session.verified ? (
              <Button tone="primary" icon="plus" onClick={() => setOpen({ what: 'create' })}>
                Create your first key
              </Button>
            ) : (
              <VerifyFirst />
            )
          }
        >
          A key lets your scripts, apps and agents upload and render. Give each its own, so that you can
          revoke one without the others.
        </Empty>
      )}
      {working.length > 0 && (
        <ul className="card divide-y divide-line">
          {working.map((key) => (
            <Row key={key.id} item={key} onOpen={(what) => setOpen({ what, key })} />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details>
          <summary className="text-sm font-medium text-quiet">
            Revoked and expired keys ({ended.length})
          </summary>
          <ul className="mt-3 card divide-y divide-line">
            {ended.map((key) => (
              <Row key={key.id} item={key} />
            ))}
          </ul>
        </details>
      )}
      {open?.what === 'create' && <CreateKey onClose={close} />}
      {open?.what === 'change' && <ChangeKey item={open.key} onClose={close} />}
      {open?.what === 'rotate' && <RotateKey item={open.key} onClose={close} />}
      {open?.what === 'revoke' && <RevokeKey item={open.key} onClose={close} />}
    </Page>
  );
}

function Row({ item, onOpen }: { item: Key; onOpen?: (what: 'change' | 'rotate' | 'revoke') => void }) {
  const { name, display, state, uses } = item;
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2">
          <Link to={`/key?id=${item.id}`} className="font-medium wrap-anywhere hover:underline">
            {name}
          </Link>
          {state === 'ending' && item.ends_at !== null && <Chip tone="warn">Ends {ago(item.ends_at)}</Chip>}
          {state === 'revoked' && <Chip tone="danger">Revoked</Chip>}
          {state === 'expired' && <Chip tone="danger">Expired</Chip>}
        </p>
        <p className="mt-0.5 text-sm text-quiet">
          <code className="font-mono text-xs">{display}</code> · created {date(item.created_at)}
        </p>
        {narrowedOf(item) !== '' && <p className="mt-0.5 text-sm text-quiet">{narrowedOf(item)}</p>}
      </div>
      <dl className="grid grid-cols-3 gap-4 text-sm max-sm:w-full sm:w-96">
        <Fact name="Last used" value={item.last_used_at === null ? 'never' : ago(item.last_used_at)} />
        <Fact name="Uploads, 30 d" value={number(uses.upload)} />
        <Fact name="Renders, 30 d" value={number(uses.render)} />
      </dl>
      {onOpen && (
        <div className="flex items-center gap-1 max-sm:w-full sm:w-56 sm:justify-end">
          <IconButton icon="edit" label={`Change ${name}`} onClick={() => onOpen('change')} />
          {state === 'active' && (
            <Button small icon="refresh" onClick={() => onOpen('rotate')} aria-label={`Rotate ${name}`}>
              Rotate
            </Button>
          )}
          <Button
            small
            tone="remove"
            className="ml-1"
            onClick={() => onOpen('revoke')}
            aria-label={`Revoke ${name}`}
          >
            Revoke
          </Button>
        </div>
      )}
    </li>
  );
}

/** Only what it is narrowed to: most keys are for everything and do not expire. */
function narrowedOf(item: Key): string {
  const { scope, expires_at, state } = item;
  const ends = state === 'expired' ? 'expired' : 'expires';
  return [
    scope !== 'all' && scopeNames[scope],
    expires_at !== null && `${ends} ${time(expires_at)}`,
    ...ownQuotaOf(item).map(
      ({ unit, used, limit }) => `${number(used)} of ${number(limit)} ${unit}s this month`,
    ),
  ]
    .filter(Boolean)
    .join(' · ');
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-quiet">{name}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  );
}
