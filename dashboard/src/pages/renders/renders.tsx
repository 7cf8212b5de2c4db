// Every render of the account, loaded page by page. The filters are in the URL.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { QueryOf } from '#console/contract.ts';
import type { Render } from '#console/views.ts';
import { call } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { DeleteRenders } from '#app/pages/renders/delete-renders.tsx';
import { targetName } from '#app/pages/renders/names.ts';
import { RenderDialog } from '#app/pages/renders/render-dialog.tsx';
import { Row } from '#app/pages/renders/row.tsx';
import { Button, LinkButton } from '#app/parts/button.tsx';
import { CopyButton } from '#app/parts/copy.tsx';
import { ChoiceFilter, Filters, NothingFits, SearchFilter } from '#app/parts/filters.tsx';
import { neighboursOf } from '#app/parts/neighbours.tsx';
import { Page } from '#app/parts/page.tsx';
import { itemsOf, PagedList, usePaged } from '#app/parts/paged.tsx';
import { RecentlyDeleted } from '#app/parts/recently-deleted.tsx';
import { Empty } from '#app/parts/states.tsx';
import { UntilFilter, untilOf } from '#app/parts/until-filter.tsx';
import { restore } from '#app/parts/use-delete.ts';
import { useAction } from '#app/parts/use-action.ts';
import { useOpened } from '#app/parts/use-opened.ts';
import { useSelection, type Selection } from '#app/parts/use-selection.ts';
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
  const [deleting, setDeleting] = useState<{ ids: string[]; renders: Render[] }>();
  const open = (id: string | undefined, replace = true) => setSearch({ open: id }, { replace });
  const filter = useSettled({
    search: search.get('search') ?? undefined,
    kind: (search.get('kind') ?? undefined) as Query['kind'],
    status: (search.get('status') ?? undefined) as Query['status'],
    before: untilOf(search),
  });
  const query = usePaged(['renders', filter], (cursor) =>
    call('GET /renders', { query: { ...filter, cursor, limit: 50 } }),
  );
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const renders = itemsOf(query);
  const selection = useSelection(renders, filter);
  const opened = useOpened({
    id: search.get('open'),
    items: renders,
    isLoaded: query.data !== undefined,
    name: 'render',
    load: (id) => call('GET /renders/:id', { id }),
    onGone: () => open(undefined),
  });
  return (
    <Page
      title="Renders"
      intro="Screenshots, PDFs and extracts of pages. What is hosted has a link that you can share."
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
        <UntilFilter />
      </Filters>
      <SelectionBar
        selection={selection}
        filter={filter}
        hasMore={query.hasNextPage}
        onDelete={() => setDeleting({ ids: selection.ids, renders: selection.items })}
      />
      <PagedList query={query} empty={<None isFiltered={isFiltered} />}>
        {(items) => (
          <ul className="card divide-y divide-line overflow-hidden">
            {items.map((render) => (
              <Row
                key={render.id}
                render={render}
                isSelected={selection.has(render.id)}
                onToggle={(isRange) => selection.toggle(render.id, isRange)}
                onOpen={() => open(render.id, false)}
              />
            ))}
          </ul>
        )}
      </PagedList>
      <DeletedRenders />
      {opened && (
        <RenderDialog
          key={opened.id}
          render={opened}
          neighbours={{ ...neighboursOf(renders, opened.id), onOpen: open }}
          onDelete={() => setDeleting({ ids: [opened.id], renders: [opened] })}
          onClose={() => open(undefined)}
        />
      )}
      {deleting && (
        <DeleteRenders
          {...deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => {
            setDeleting(undefined);
            selection.clear();
            open(undefined);
          }}
        />
      )}
    </Page>
  );
}

function SelectionBar({
  selection,
  filter,
  hasMore,
  onDelete,
}: {
  selection: Selection<Render>;
  /** What the list shows. */
  filter: QueryOf<'GET /renders/ids'>;
  /** Whether there are more renders than the loaded ones. */
  hasMore: boolean;
  onDelete: () => void;
}) {
  const { ids, items } = selection;
  const all = useAction(() => call('GET /renders/ids', { query: filter }), {
    onDone: (found) => selection.put(found.ids),
  });
  if (ids.length === 0) return null;
  const links = items.flatMap(({ share_url, url }) => share_url ?? url ?? []);
  return (
    <div
      role="region"
      aria-label="Selected renders"
      className="sticky top-16 z-10 flex flex-wrap items-center gap-2 card px-4 py-2.5 shadow-large lg:top-4"
    >
      <p role="status" className="flex-1 basis-48 font-medium">
        {plural(ids.length, 'render')} selected
      </p>
      <Button
        small
        tone="quiet"
        busy={all.isPending}
        onClick={hasMore ? () => all.mutate(undefined) : selection.all}
      >
        {hasMore ? 'Select all that match' : 'Select all'}
      </Button>
      <Button small tone="quiet" onClick={selection.clear}>
        Clear
      </Button>
      {ids.length === items.length && links.length > 0 && (
        <CopyButton text={links.join('\n')} what={plural(links.length, 'link')}>
          Copy links
        </CopyButton>
      )}
      <Button small tone="danger" icon="trash" onClick={onDelete}>
        Delete
      </Button>
    </div>
  );
}

function DeletedRenders() {
  const { data } = useQuery({
    queryKey: ['renders', 'deleted'],
    queryFn: () => call('GET /renders/deleted'),
  });
  const items = data?.items.map(({ target, ...item }) => ({ ...item, name: targetName(target) })) ?? [];
  return (
    <RecentlyDeleted
      items={items}
      restore={(ids) => restore('render', ids)}
      purge={(ids) => call('POST /renders/purge', { body: { ids } })}
      touches={['renders']}
    />
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <NothingFits title="No matching renders" names={['search', 'kind', 'status', 'until']}>
        Try a shorter search, or fewer filters.
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
