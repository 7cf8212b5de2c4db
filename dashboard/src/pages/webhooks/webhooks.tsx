// Webhooks: the endpoints, the secret that signs, and the log of what was sent.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Endpoint } from '#console/webhooks.ts';
import { call } from '#app/api.ts';
import { ago, date, plural, time } from '#app/format.ts';
import { Deliveries } from '#app/pages/webhooks/deliveries.tsx';
import { AddEndpoint, EditEndpoint, RemoveEndpoint, RotateSecret } from '#app/pages/webhooks/dialogs.tsx';
import { Button, IconButton } from '#app/parts/button.tsx';
import { Switch } from '#app/parts/field.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { Banner, Chip, Empty, Loading, Problem } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import type { Session } from '#app/session.ts';

type Open = { what: 'add' | 'rotate' } | { what: 'edit' | 'remove'; endpoint: Endpoint };

export function Webhooks({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks'],
    queryFn: () => call('GET /webhooks'),
  });
  const endpoints = data?.endpoints ?? [];
  const isFull = data !== undefined && endpoints.length >= data.limit;
  return (
    <Page
      title="Webhooks"
      intro="Your own server is told when something happens here, with a signed message."
      actions={
        <Button
          tone="primary"
          icon="plus"
          onClick={() => setOpen({ what: 'add' })}
          disabled={!session.verified || isFull}
        >
          Add an endpoint
        </Button>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {endpoints.filter(isStopped).map((endpoint) => (
        <Stopped key={endpoint.id} endpoint={endpoint} />
      ))}
      {data && endpoints.length === 0 && (
        <Empty
          icon="webhooks"
          title="No endpoints yet"
          action={
            session.verified ? (
              <Button tone="primary" icon="plus" onClick={() => setOpen({ what: 'add' })}>
                Add your first endpoint
              </Button>
            ) : (
              <VerifyFirst />
            )
          }
        >
          An endpoint is an https address of yours. It gets a message for each upload, render or quota warning
          that you choose.
        </Empty>
      )}
      {endpoints.length > 0 && (
        <ul className="card divide-y divide-line" aria-label="Endpoints">
          {endpoints.map((endpoint) => (
            <Row
              key={endpoint.id}
              endpoint={endpoint}
              canChange={session.verified}
              onOpen={(what) => setOpen({ what, endpoint })}
            />
          ))}
        </ul>
      )}
      {data && (
        <Section
          title="Secret"
          intro="It signs every message in the format of Standard Webhooks, so that your server can tell them from others."
          actions={
            <Button icon="refresh" disabled={!session.verified} onClick={() => setOpen({ what: 'rotate' })}>
              {data.secret_made_at === null ? 'Make a secret' : 'Rotate'}
            </Button>
          }
        >
          <p className="text-sm text-quiet">
            {data.secret_made_at === null
              ? 'There is none yet. Your first endpoint comes with one.'
              : `Made ${date(data.secret_made_at)}.`}
            {data.old_secret_until !== null &&
              ` The one before it signs too until ${time(data.old_secret_until)}.`}
          </p>
        </Section>
      )}
      {data && <Deliveries endpoints={endpoints} canSend={session.verified} />}
      {open?.what === 'add' && <AddEndpoint onClose={close} />}
      {open?.what === 'rotate' && <RotateSecret onClose={close} />}
      {open?.what === 'edit' && <EditEndpoint endpoint={open.endpoint} onClose={close} />}
      {open?.what === 'remove' && <RemoveEndpoint endpoint={open.endpoint} onClose={close} />}
    </Page>
  );
}

/** By the service, not by its owner. */
const isStopped = ({ off_reason }: Endpoint): boolean => off_reason === 'failing' || off_reason === 'crowded';

function Stopped({ endpoint: { url, off_at, off_reason } }: { endpoint: Endpoint }) {
  return (
    <Banner tone="warn" title="An endpoint was switched off">
      <span className="wrap-anywhere">{url}</span>{' '}
      {off_reason === 'crowded'
        ? 'had ten thousand messages waiting for it'
        : 'took no message for a whole day'}
      , so nothing is sent there since {time(off_at ?? '')}. Switch it on when your server works again.
    </Banner>
  );
}

function Row({
  endpoint,
  canChange,
  onOpen,
}: {
  endpoint: Endpoint;
  canChange: boolean;
  onOpen: (what: 'edit' | 'remove') => void;
}) {
  const { id, url, events, enabled, waiting } = endpoint;
  const toggle = useAction((next: boolean) => call('PATCH /webhooks/:id', { id, body: { enabled: next } }), {
    touches: ['webhooks', 'deliveries'],
    done: enabled ? 'Switched off.' : 'Switched on.',
  });
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-mono text-sm wrap-anywhere">{url}</p>
        <p className="mt-1 flex flex-wrap items-center gap-1.5">
          {events.map((event) => (
            <Chip key={event}>{event}</Chip>
          ))}
        </p>
        <p className="mt-1 text-sm text-quiet">
          Added {date(endpoint.created_at)}
          {endpoint.off_at !== null && ` · off since ${ago(endpoint.off_at)}`}
          {waiting > 0 && ` · ${plural(waiting, 'message')} waiting`}
        </p>
      </div>
      <div className="flex items-center gap-2">
        <Switch
          label={`Send to ${url}`}
          checked={enabled}
          disabled={!canChange || toggle.isPending}
          onChange={(next) => toggle.mutate(next)}
        />
        <IconButton icon="edit" label={`Edit ${url}`} disabled={!canChange} onClick={() => onOpen('edit')} />
        <Button small tone="remove" aria-label={`Remove ${url}`} onClick={() => onOpen('remove')}>
          Remove
        </Button>
      </div>
    </li>
  );
}
