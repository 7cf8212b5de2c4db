// Links: the keys that sign them.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { LinkKey } from '#console/link-keys.ts';
import { call } from '#app/api.ts';
import { date } from '#app/format.ts';
import { CreateLinkKey, RenameLinkKey, RevokeLinkKey } from '#app/pages/links/dialogs.tsx';
import { Button, IconButton } from '#app/parts/button.tsx';
import { Page } from '#app/parts/page.tsx';
import { Empty, Loading, Problem } from '#app/parts/states.tsx';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import type { Session } from '#app/session.ts';

type Open = { what: 'create' } | { what: 'rename' | 'revoke'; item: LinkKey };

export function Links({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { data, error, refetch } = useQuery({
    queryKey: ['link-keys'],
    queryFn: () => call('GET /link-keys'),
  });
  const items = data?.items ?? [];
  return (
    <Page
      title="Links"
      intro="Addresses for images and social cards that render when somebody opens them. A link key signs them."
      actions={
        <Button
          tone="primary"
          icon="plus"
          onClick={() => setOpen({ what: 'create' })}
          disabled={!session.verified || (data !== undefined && items.length >= data.limit)}
        >
          Create a link key
        </Button>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && items.length === 0 && (
        <Empty
          icon="links"
          title="No link keys yet"
          action={
            session.verified ? (
              <Button tone="primary" icon="plus" onClick={() => setOpen({ what: 'create' })}>
                Create your first link key
              </Button>
            ) : (
              <VerifyFirst />
            )
          }
        >
          With a link key your website signs links by itself. Each link costs a render at most once for its
          max_age, whoever opens it.
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="card divide-y divide-line" aria-label="Link keys">
          {items.map((item) => (
            <Row key={item.id} item={item} onOpen={(what) => setOpen({ what, item })} />
          ))}
        </ul>
      )}
      {open?.what === 'create' && <CreateLinkKey baseUrl={data?.base_url ?? ''} onClose={close} />}
      {open?.what === 'rename' && <RenameLinkKey item={open.item} onClose={close} />}
      {open?.what === 'revoke' && <RevokeLinkKey item={open.item} onClose={close} />}
    </Page>
  );
}

function Row({ item, onOpen }: { item: LinkKey; onOpen: (what: 'rename' | 'revoke') => void }) {
  const { id, name } = item;
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="mt-0.5 text-sm text-quiet">
          <code className="font-mono text-xs wrap-anywhere">{id}</code> · created {date(item.created_at)}
        </p>
      </div>
      <div className="flex items-center gap-1">
        <IconButton icon="edit" label={`Rename ${name}`} onClick={() => onOpen('rename')} />
        <Button small tone="remove" aria-label={`Revoke ${name}`} onClick={() => onOpen('revoke')}>
          Revoke
        </Button>
      </div>
    </li>
  );
}
