// The history of screenshots and PDFs.
import { useState } from 'react';
import type { QueryOf } from '#http/dashboard/contract.ts';
import type { Render } from '#http/dashboard/schemas/files.ts';
import { call } from '#app/api.ts';
import { ago, bytes, duration } from '#app/format.ts';
import { RenderDialog } from '#app/pages/render-dialog.tsx';
import { Button, LinkButton } from '#app/parts/button.tsx';
import { SearchField, Select } from '#app/parts/field.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { More, usePaged } from '#app/parts/more.tsx';
import { Page } from '#app/parts/page.tsx';
import { Chip, Empty, Loading, Problem } from '#app/parts/states.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';

type Query = NonNullable<QueryOf<'GET /renders'>>;

export function Renders() {
  const [search, setSearch] = useSearch();
  const [opened, setOpened] = useState<Render>();
  const filter = useSettled({
    search: search.get('search') ?? undefined,
    kind: (search.get('kind') ?? undefined) as Query['kind'],
    status: (search.get('status') ?? undefined) as Query['status'],
  });
  const query = usePaged(['renders', filter], (cursor) =>
    call('GET /renders', { query: { ...filter, cursor, limit: 50 } }),
  );
  const renders = query.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Page
      title="Renders"
      intro="Screenshots and PDFs of web pages. Those asked for as JSON are hosted under a link."
      actions={
        <LinkButton to="/playground" tone="primary" icon="playground">
          New render
        </LinkButton>
      }
    >
      <div className="flex flex-wrap gap-2.5">
        <div className="flex min-w-56 flex-1 max-sm:basis-full">
          <SearchField
            label="Search by address"
            defaultValue={search.get('search') ?? ''}
            onChange={(event) => setSearch({ search: event.target.value })}
            maxLength={100}
          />
        </div>
        <Select
          aria-label="Kind"
          className="max-sm:flex-1"
          choices={[
            { value: '', text: 'All kinds' },
            { value: 'screenshot', text: 'Screenshots' },
            { value: 'pdf', text: 'PDFs' },
          ]}
          value={search.get('kind') ?? ''}
          onChange={(event) => setSearch({ kind: event.target.value })}
        />
        <Select
          aria-label="Status"
          className="max-sm:flex-1"
          choices={[
            { value: '', text: 'Any status' },
            { value: 'done', text: 'Done' },
            { value: 'failed', text: 'Failed' },
          ]}
          value={search.get('status') ?? ''}
          onChange={(event) => setSearch({ status: event.target.value })}
        />
      </div>
      {query.error && !query.data && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.data &&
        renders.length === 0 &&
        (isFiltered ? (
          <Empty
            icon="search"
            title="No render fits"
            action={
              <Button onClick={() => setSearch({ search: undefined, kind: undefined, status: undefined })}>
                Clear the filters
              </Button>
            }
          >
            Try a shorter search, another kind or any status.
          </Empty>
        ) : (
          <Empty
            icon="renders"
            title="No renders yet"
            action={
              <LinkButton to="/playground" tone="primary" icon="playground">
                Open the playground
              </LinkButton>
            }
          >
            Capture a page as a picture or print it to PDF, here or with your API key.
          </Empty>
        ))}
      {renders.length > 0 && (
        <ul className="card divide-y divide-line overflow-hidden">
          {renders.map((render) => (
            <Row key={render.id} render={render} onOpen={() => setOpened(render)} />
          ))}
        </ul>
      )}
      <More query={query} />
      {opened && <RenderDialog render={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function Row({ render, onOpen }: { render: Render; onOpen: () => void }) {
  const kind = render.kind === 'pdf' ? 'PDF' : 'Screenshot';
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="flex w-full items-center gap-4 px-4 py-3 text-left outline-offset-[-3px] transition hover:bg-ink/3 sm:px-5"
      >
        <span className="grid size-10 shrink-0 place-items-center rounded-[9px] bg-accent-soft text-accent max-sm:hidden">
          <Icon name={render.kind === 'pdf' ? 'page' : 'renders'} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{render.target}</span>
          <span className="block truncate text-sm text-quiet">
            {kind} · {ago(render.created_at)}
            <span className="sm:hidden">
              {' '}
              · {duration(render.duration_ms)} · {bytes(render.size_bytes)}
            </span>
          </span>
        </span>
        <span className="w-20 text-right text-sm text-quiet tabular-nums max-sm:hidden">
          {duration(render.duration_ms)}
        </span>
        <span className="w-20 text-right text-sm text-quiet tabular-nums max-sm:hidden">
          {bytes(render.size_bytes)}
        </span>
        <span className="text-right sm:w-20">
          {render.status === 'failed' ? (
            <Chip tone="danger">Failed</Chip>
          ) : render.url === null ? (
            <Chip>Bytes</Chip>
          ) : (
            <Chip tone="good">Hosted</Chip>
          )}
        </span>
      </button>
    </li>
  );
}
