// Every account of the service, for its owner.
import { useState } from 'react';
import type { AdminAccount } from '#console/admin.ts';
import { call } from '#app/api.ts';
import { date, number } from '#app/format.ts';
import { AccountDialog } from '#app/pages/admin/account-dialog.tsx';
import { NewAccount } from '#app/pages/admin/new-account.tsx';
import { Button } from '#app/parts/button.tsx';
import { Filters, SearchFilter } from '#app/parts/filters.tsx';
import { Page } from '#app/parts/page.tsx';
import { itemsOf, PagedList, usePaged } from '#app/parts/paged.tsx';
import { Chip, Empty } from '#app/parts/states.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

export function Accounts({ session }: { session: Session }) {
  const [search] = useSearch();
  const [openedId, setOpenedId] = useState<string>();
  const [isNew, setNew] = useState(false);
  const filter = useSettled({ search: search.get('search') ?? undefined });
  const query = usePaged(['accounts', filter], (cursor) =>
    call('GET /admin/accounts', { query: { ...filter, cursor, limit: 50 } }),
  );
  const accounts = itemsOf(query);
  const plans = query.data?.pages[0]?.plans ?? [];
  const opened = accounts.find(({ id }) => id === openedId);
  return (
    <Page
      title="Accounts"
      intro="Changes apply from the next request on and are in the audit log."
      actions={
        <Button tone="primary" icon="plus" disabled={plans.length === 0} onClick={() => setNew(true)}>
          New account
        </Button>
      }
    >
      <Filters>
        <SearchFilter label="Search by e-mail" />
      </Filters>
      <PagedList
        query={query}
        empty={
          <Empty icon="accounts" title="No matching accounts">
            Try a shorter search.
          </Empty>
        }
      >
        {(items) => (
          <ul className="card divide-y divide-line overflow-hidden">
            {items.map((account) => (
              <Row
                key={account.id}
                account={account}
                plan={plans.find(({ id }) => id === account.plan)?.name ?? account.plan}
                onOpen={() => setOpenedId(account.id)}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {opened && (
        <AccountDialog
          account={opened}
          plans={plans}
          isSelf={opened.id === session.id}
          onClose={() => setOpenedId(undefined)}
        />
      )}
      {isNew && <NewAccount plans={plans} onClose={() => setNew(false)} />}
    </Page>
  );
}

function Row({ account, plan, onOpen }: { account: AdminAccount; plan: string; onOpen: () => void }) {
  const { upload, render } = account.usage;
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="flex w-full flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3.5 text-left outline-offset-[-3px] transition hover:bg-ink/3 sm:px-5"
      >
        <span className="min-w-0 flex-1 basis-64">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{account.email}</span>
            {account.owner && <Chip tone="accent">Owner</Chip>}
            {account.suspended && <Chip tone="danger">Suspended</Chip>}
            {!account.verified && <Chip tone="warn">Unverified</Chip>}
          </span>
          <span className="block text-sm text-quiet">
            {plan}
            {account.overages && ', with overages'} · since {date(account.created_at)}
          </span>
        </span>
        <span className="text-sm text-quiet tabular-nums sm:text-right">
          {number(upload.used)} uploads · {number(render.used)} renders
          <span className="block text-xs">this month</span>
        </span>
      </button>
    </li>
  );
}
