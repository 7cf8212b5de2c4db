// The history of screenshots and PDFs.
import { useState } from 'react';
import type { QueryOf } from '#http/dashboard/contract.ts';
import type { Render } from '#http/dashboard/schemas/files.ts';
import { call } from '#app/api.ts';
import { ago, bytes, duration } from '#app/format.ts';
import { RenderDialog } from '#app/pages/render-dialog.tsx';
import { LinkButton } from '#app/parts/button.tsx';
import { ChoiceFilter, Filters, NothingFits, SearchFilter } from '#app/parts/filters.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Page } from '#app/parts/page.tsx';
import { PagedList, usePaged } from '#app/parts/paged.tsx';
import { Chip, Empty } from '#app/parts/states.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';

type Query = NonNullable<QueryOf<'GET /renders'>>;

const kinds = [
  { value: '', text: 'All kinds' },
  { value: 'screenshot', text: 'Screenshots' },
  { value: 'pdf', text: 'PDFs' },
];
const statuses = [
  { value: '', text: 'Any status' },
  { value: 'done', text: 'Done' },
  { value: 'failed', text: 'Failed' },
];

export function Renders() {
  const [search] = useSearch();
  const [opened, setOpened] = useState<Render>();
  const filter = useSettled({
    search: search.get('search') ?? undefined,
    kind: (search.get('kind') ?? undefined) as Query['kind'],
    status: (search.get('status') ?? undefined) as Query['status'],
  });
  const query = usePaged(['renders', filter], (cursor) =>
    call('GET /renders', { query: { ...filter, cursor, limit: 50 } }),
  );
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
      <Filters>
        <SearchFilter label="Search by address" />
        <ChoiceFilter name="kind" label="Kind" choices={kinds} />
        <ChoiceFilter name="status" label="Status" choices={statuses} />
      </Filters>
      <PagedList query={query} empty={<None isFiltered={isFiltered} />}>
        {(renders) => (
          <ul className="card divide-y divide-line overflow-hidden">
            {renders.map((render) => (
              <Row key={render.id} render={render} onOpen={() => setOpened(render)} />
            ))}
          </ul>
        )}
      </PagedList>
      {opened && <RenderDialog render={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <NothingFits title="No render fits" names={['search', 'kind', 'status']}>
        Try a shorter search, another kind or any status.
      </NothingFits>
    );
  return (
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
