// Every upload of the account, in a grid loaded page by page. The filters are in the URL.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { QueryOf } from '#console/contract.ts';
import type { Upload } from '#console/views.ts';
import { imageNames } from '#uploads/image-types.ts';
import { call } from '#app/api.ts';
import { bytes, number } from '#app/format.ts';
import { albumChoices, useAlbums } from '#app/pages/albums/use-albums.ts';
import { DeleteUploads } from '#app/pages/uploads/delete-uploads.tsx';
import { DeletedUploads } from '#app/pages/uploads/deleted-uploads.tsx';
import { SelectionBar } from '#app/pages/uploads/selection-bar.tsx';
import { Tile } from '#app/pages/uploads/tile.tsx';
import { UploadDialog } from '#app/pages/uploads/upload-dialog.tsx';
import { useSelection } from '#app/parts/use-selection.ts';
import { Button } from '#app/parts/button.tsx';
import { ChoiceFilter, Filters, NothingFits, SearchFilter } from '#app/parts/filters.tsx';
import { neighboursOf } from '#app/parts/neighbours.tsx';
import { Page } from '#app/parts/page.tsx';
import { itemsOf, PagedList, usePaged } from '#app/parts/paged.tsx';
import { Empty } from '#app/parts/states.tsx';
import { UntilFilter, untilOf } from '#app/parts/until-filter.tsx';
import { useOpened } from '#app/parts/use-opened.ts';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';
import type { Session } from '#app/session.ts';
import { maxSize, typeNames } from '#app/uploading/accepted.ts';
import { ExpirySelect } from '#app/uploading/expiry.tsx';
import { chooseFiles } from '#app/uploading/intake.tsx';

type Query = NonNullable<QueryOf<'GET /uploads'>>;

const types = [
  { value: '', text: 'All types' },
  ...Object.values(imageNames).map((text) => ({ value: text.toLowerCase(), text })),
];
const expiries = [
  { value: '', text: 'Any expiry' },
  { value: 'never', text: 'Never expires' },
  { value: 'some', text: 'Expires' },
  { value: 'soon', text: 'Within 7 days' },
];

const orders = [
  { value: '', text: 'Newest first' },
  { value: 'oldest', text: 'Oldest first' },
  { value: 'largest', text: 'Largest first' },
  { value: 'smallest', text: 'Smallest first' },
  { value: 'name', text: 'By name' },
];

export function Uploads({ session }: { session: Session }) {
  const [search, setSearch] = useSearch();
  const [deleting, setDeleting] = useState<{ ids: string[]; uploads: Upload[] }>();
  const filter = useSettled({
    search: search.get('search') ?? undefined,
    type: (search.get('type') ?? undefined) as Query['type'],
    expiry: (search.get('expiry') ?? undefined) as Query['expiry'],
    tag: search.get('tag') ?? undefined,
    album: search.get('album') ?? undefined,
    before: untilOf(search),
  });
  const sort = (search.get('sort') ?? undefined) as Query['sort'];
  const query = usePaged(['uploads', { ...filter, sort }], (cursor) =>
    call('GET /uploads', { query: { ...filter, sort, cursor, limit: 60 } }),
  );
  const uploads = itemsOf(query);
  const selection = useSelection(uploads, filter);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const open = (id: string | undefined, replace = true) => setSearch({ open: id }, { replace });

  return (
    <Page
      title="Uploads"
      intro="Drop or paste images on any page, or choose them here. When they are stored, the links are copied to your clipboard."
      actions={
        <>
          <ExpirySelect session={session} />
          <Button tone="primary" icon="upload" onClick={chooseFiles} disabled={!session.verified}>
            Choose files
          </Button>
        </>
      }
    >
      <Filters>
        <SearchFilter label="Search by filename" />
        <ChoiceFilter name="type" label="Type" choices={types} />
        <ChoiceFilter name="expiry" label="Expiry" choices={expiries} />
        <TagFilter />
        <AlbumFilter />
        <ChoiceFilter name="sort" label="Order" choices={orders} />
        <UntilFilter />
      </Filters>
      <Totals filter={filter} isFiltered={isFiltered} />
      <SelectionBar
        selection={selection}
        filter={filter}
        hasMore={query.hasNextPage}
        session={session}
        onDelete={() => setDeleting({ ids: selection.ids, uploads: selection.items })}
      />
      <PagedList query={query} empty={<None isFiltered={isFiltered} canUpload={session.verified} />}>
        {(items) => (
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(13rem,42vw),1fr))] gap-4">
            {items.map((upload) => (
              <Tile
                key={upload.id}
                upload={upload}
                isSelected={selection.has(upload.id)}
                onToggle={(isRange) => selection.toggle(upload.id, isRange)}
                onOpen={() => open(upload.id, false)}
              />
            ))}
          </ul>
        )}
      </PagedList>
      <DeletedUploads />
      <Opened
        id={search.get('open')}
        uploads={uploads}
        isLoaded={query.data !== undefined}
        onNearEnd={() => {
          if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
        }}
        session={session}
        onOpen={open}
        onDelete={(upload) => setDeleting({ ids: [upload.id], uploads: [upload] })}
      />
      {deleting && (
        <DeleteUploads
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

function TagFilter() {
  const [search] = useSearch();
  const { data } = useQuery({ queryKey: ['uploads', 'tags'], queryFn: () => call('GET /uploads/tags') });
  const tags = new Set(data?.items.map(({ tag }) => tag));
  const chosen = search.get('tag');
  if (chosen !== null) tags.add(chosen);
  if (tags.size === 0) return null;
  const choices = [...tags].map((tag) => ({ value: tag, text: tag }));
  return (
    <ChoiceFilter
      name="tag"
      label="Tag"
      className="max-w-44"
      choices={[{ value: '', text: 'All tags' }, ...choices]}
    />
  );
}

function AlbumFilter() {
  const albums = useAlbums();
  const [search] = useSearch();
  const chosen = search.get('album');
  if (albums.length === 0 && chosen === null) return null;
  const isListed = chosen === null || albums.some(({ id }) => id === chosen);
  return (
    <ChoiceFilter
      name="album"
      label="Album"
      className="max-w-44"
      choices={[
        { value: '', text: 'All albums' },
        ...albumChoices(albums),
        ...(isListed ? [] : [{ value: chosen, text: 'An older album' }]),
      ]}
    />
  );
}

/** The number of uploads that match the filters, and their total size. */
function Totals({ filter, isFiltered }: { filter: QueryOf<'GET /uploads/totals'>; isFiltered: boolean }) {
  const { data } = useQuery({
    queryKey: ['uploads', 'totals', filter],
    queryFn: () => call('GET /uploads/totals', { query: filter }),
    placeholderData: (previous) => previous,
  });
  // An empty line of the same height, so that the layout does not shift.
  if (!data || data.files === 0) return <p className="-my-2 text-sm">&nbsp;</p>;
  const files = `${number(data.files)}${data.is_more ? ' or more' : ''}`;
  return (
    <p role="status" className="-my-2 text-sm text-quiet tabular-nums">
      {files} {data.files === 1 ? 'upload' : 'uploads'}
      {isFiltered && ' found'} · {bytes(data.bytes)}
      {data.is_more && ' or more'} · without deleted ones
    </p>
  );
}

/** The dialog of the upload that the URL names, with the way to its neighbours. */
function Opened({
  id,
  uploads,
  isLoaded,
  onNearEnd,
  session,
  onOpen,
  onDelete,
}: {
  id: string | null;
  uploads: Upload[];
  isLoaded: boolean;
  /** Called near the last loaded upload, to load the next page. */
  onNearEnd: () => void;
  session: Session;
  onOpen: (id: string | undefined) => void;
  onDelete: (upload: Upload) => void;
}) {
  const index = uploads.findIndex((upload) => upload.id === id);
  const upload = useOpened({
    id,
    items: uploads,
    isLoaded,
    name: 'upload',
    load: (other) => call('GET /uploads/:id', { id: other }),
    onGone: () => onOpen(undefined),
  });
  useEffect(() => {
    if (index !== -1 && index >= uploads.length - 2) onNearEnd();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each step
  }, [index, uploads.length]);
  if (!upload) return null;
  return (
    <UploadDialog
      key={upload.id}
      upload={upload}
      session={session}
      neighbours={{ ...neighboursOf(uploads, upload.id), onOpen }}
      onDelete={() => onDelete(upload)}
      onClose={() => onOpen(undefined)}
    />
  );
}

function None({ isFiltered, canUpload }: { isFiltered: boolean; canUpload: boolean }) {
  if (isFiltered)
    return (
      <NothingFits title="No matching uploads" names={['search', 'type', 'expiry', 'tag', 'album', 'until']}>
        Try a shorter search, or fewer filters.
      </NothingFits>
    );
  return (
    <Empty
      icon="uploads"
      title="No uploads yet"
      action={
        canUpload && (
          <Button tone="primary" icon="upload" onClick={chooseFiles}>
            Choose files
          </Button>
        )
      }
    >
      {typeNames}, up to {maxSize} each. Drop them here, paste from the clipboard, or send them with your API
      key.
    </Empty>
  );
}
