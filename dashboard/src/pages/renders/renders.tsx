// The history of renders.
import type { QueryOf } from '#http/dashboard/contract.ts';
import type { Render } from '#http/dashboard/views.ts';
import { call, sameOrigin } from '#app/api.ts';
import { ago, bytes, duration } from '#app/format.ts';
import { madeOf, nameOf } from '#app/pages/renders/names.ts';
import { RenderDialog } from '#app/pages/renders/render-dialog.tsx';
import { StatusChip } from '#app/pages/renders/status.tsx';
import { LinkButton } from '#app/parts/button.tsx';
import { ChoiceFilter, Filters, NothingFits, SearchFilter } from '#app/parts/filters.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Page } from '#app/parts/page.tsx';
import { itemsOf, PagedList, usePaged } from '#app/parts/paged.tsx';
import { Chip, Empty } from '#app/parts/states.tsx';
import { useOpened } from '#app/parts/use-opened.ts';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';

type Query = NonNullable<QueryOf<'GET /renders'>>;

const kinds = [
  { value: '', text: 'All kinds' },
  { value: 'screenshot', text: 'Screenshots' },
  { value: 'pdf', text: 'PDFs' },
  { value: 'extract', text: 'Extracts' },
];
const statuses = [
  { value: '', text: 'Any status' },
  { value: 'done', text: 'Done' },
  { value: 'failed', text: 'Failed' },
];

export function Renders() {
  const [search, setSearch] = useSearch();
  const open = (id: string | undefined) => setSearch({ open: id }, { replace: id === undefined });
  const filter = useSettled({
    search: search.get('search') ?? undefined,
    kind: (search.get('kind') ?? undefined) as Query['kind'],
    status: (search.get('status') ?? undefined) as Query['status'],
  });
  const query = usePaged(['renders', filter], (cursor) =>
    call('GET /renders', { query: { ...filter, cursor, limit: 50 } }),
  );
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const opened = useOpened({
    id: search.get('open'),
    items: itemsOf(query),
    isLoaded: query.data !== undefined,
    name: 'render',
    load: (id) => call('GET /renders/:id', { id }),
    onGone: () => open(undefined),
  });
  return (
    <Page
      title="Renders"
      intro="Screenshots, PDFs and extracts of pages. Those asked for as JSON are hosted under a link."
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
              <Row key={render.id} render={render} onOpen={() => open(render.id)} />
            ))}
          </ul>
        )}
      </PagedList>
      {opened && <RenderDialog render={opened} onClose={() => open(undefined)} />}
    </Page>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <NothingFits title="No matching renders" names={['search', 'kind', 'status']}>
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
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="flex w-full items-center gap-4 px-4 py-2 text-left text-sm outline-offset-[-3px] transition hover:bg-ink/3"
      >
        <Thumbnail render={render} />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{nameOf(render)}</span>
          <span className="block truncate text-quiet">
            {madeOf(render)} · {ago(render.created_at)}
            {render.reference !== null && ` · ${render.reference}`}
            {render.size_bytes !== null && (
              <span className="sm:hidden">
                {' '}
                · {duration(render.duration_ms)} · {bytes(render.size_bytes)}
              </span>
            )}
          </span>
        </span>
        <span className="w-20 text-right text-quiet tabular-nums max-sm:hidden">
          {duration(render.duration_ms)}
        </span>
        <span className="w-20 text-right text-quiet tabular-nums max-sm:hidden">
          {bytes(render.size_bytes)}
        </span>
        <span className="text-right sm:w-24">
          {render.status !== 'done' ? (
            <StatusChip status={render.status} />
          ) : render.url === null ? (
            <Chip>Not hosted</Chip>
          ) : (
            <Chip tone="good">Hosted</Chip>
          )}
        </span>
      </button>
    </li>
  );
}

function Thumbnail({ render: { kind, thumbnail_url } }: { render: Render }) {
  return (
    <span className="grid h-10 w-16 shrink-0 place-items-center overflow-hidden rounded-md border bg-sunken text-quiet">
      {thumbnail_url === null ? (
        <Icon name={kind === 'screenshot' ? 'renders' : 'page'} />
      ) : (
        <img
          src={sameOrigin(thumbnail_url)}
          alt=""
          loading="lazy"
          decoding="async"
          className="size-full object-cover object-top"
        />
      )}
    </span>
  );
}
