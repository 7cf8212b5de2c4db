// Every upload of the account: a grid that grows by pages, filters in the address, files dropped or pasted anywhere.
import { useRef, useState } from 'react';
import type { QueryOf } from '#http/dashboard/contract.ts';
import type { Upload } from '#http/dashboard/schemas/files.ts';
import { call } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { DropTarget } from '#app/pages/uploads/drop-target.tsx';
import { sendFiles } from '#app/pages/uploads/send-files.ts';
import { SendingList } from '#app/pages/uploads/sending-list.tsx';
import { Tile } from '#app/pages/uploads/tile.tsx';
import { UploadDialog } from '#app/pages/uploads/upload-dialog.tsx';
import { useDeleteUploads } from '#app/pages/uploads/use-delete-uploads.ts';
import { Button } from '#app/parts/button.tsx';
import { Confirm } from '#app/parts/dialog.tsx';
import { ChoiceFilter, Filters, NothingFits, SearchFilter } from '#app/parts/filters.tsx';
import { Page } from '#app/parts/page.tsx';
import { itemsOf, PagedList, usePaged } from '#app/parts/paged.tsx';
import { Empty } from '#app/parts/states.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { useSearch } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

type Query = NonNullable<QueryOf<'GET /uploads'>>;

const types = [
  { value: '', text: 'All types' },
  { value: 'png', text: 'PNG' },
  { value: 'jpeg', text: 'JPEG' },
  { value: 'gif', text: 'GIF' },
  { value: 'webp', text: 'WebP' },
  { value: 'svg', text: 'SVG' },
  { value: 'avif', text: 'AVIF' },
];
const expiries = [
  { value: '', text: 'Any expiry' },
  { value: 'never', text: 'Never expires' },
  { value: 'some', text: 'Expires' },
  { value: 'soon', text: 'Within 7 days' },
];

export function Uploads({ session }: { session: Session }) {
  const [search, setSearch] = useSearch();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isConfirming, setConfirming] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const choose = () => input.current?.click();
  const filter = useSettled({
    search: search.get('search') ?? undefined,
    type: (search.get('type') ?? undefined) as Query['type'],
    expiry: (search.get('expiry') ?? undefined) as Query['expiry'],
  });
  const query = usePaged(['uploads', filter], (cursor) =>
    call('GET /uploads', { query: { ...filter, cursor, limit: 60 } }),
  );
  const uploads = itemsOf(query);
  const opened = uploads.find(({ id }) => id === search.get('open'));
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const remove = useDeleteUploads(() => {
    setSelected(new Set());
    setConfirming(false);
  });

  function toggle({ id }: Upload): void {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  }

  return (
    <DropTarget onFiles={sendFiles} isActive={session.verified} input={input}>
      <Page
        title="Uploads"
        intro="Drop images anywhere on this page, paste them, or choose them."
        actions={
          <Button tone="primary" icon="upload" onClick={choose} disabled={!session.verified}>
            Choose files
          </Button>
        }
      >
        <SendingList />
        <Filters>
          <SearchFilter label="Search by filename" />
          <ChoiceFilter name="type" label="Type" choices={types} />
          <ChoiceFilter name="expiry" label="Expiry" choices={expiries} />
        </Filters>
        {selected.size > 0 && (
          <div
            role="status"
            className="sticky top-16 z-10 flex flex-wrap items-center gap-3 card px-4 py-2.5 shadow-large lg:top-4"
          >
            <p className="flex-1 font-medium">{plural(selected.size, 'upload')} selected</p>
            <Button
              small
              tone="quiet"
              onClick={() => setSelected(new Set(uploads.slice(0, 200).map(({ id }) => id)))}
            >
              Select all shown
            </Button>
            <Button small tone="quiet" onClick={() => setSelected(new Set())}>
              Clear
            </Button>
            <Button small tone="danger" icon="trash" onClick={() => setConfirming(true)}>
              Delete
            </Button>
          </div>
        )}
        <PagedList
          query={query}
          empty={<None isFiltered={isFiltered} canUpload={session.verified} choose={choose} />}
        >
          {(items) => (
            <ul className="grid grid-cols-2 gap-4 sm:grid-cols-3 xl:grid-cols-4">
              {items.map((upload) => (
                <Tile
                  key={upload.id}
                  upload={upload}
                  isSelected={selected.has(upload.id)}
                  onToggle={() => toggle(upload)}
                  onOpen={() => setSearch({ open: upload.id }, { replace: false })}
                />
              ))}
            </ul>
          )}
        </PagedList>
        {opened && (
          <UploadDialog upload={opened} session={session} onClose={() => setSearch({ open: undefined })} />
        )}
        {isConfirming && (
          <Confirm
            title={`Delete ${plural(selected.size, 'upload')}?`}
            action={`Delete ${plural(selected.size, 'upload')}`}
            busy={remove.isPending}
            onConfirm={() => remove.mutate([...selected])}
            onClose={() => setConfirming(false)}
          >
            <p>Their links stop at once, everywhere they were shared. This cannot be undone.</p>
          </Confirm>
        )}
      </Page>
    </DropTarget>
  );
}

function None({
  isFiltered,
  canUpload,
  choose,
}: {
  isFiltered: boolean;
  canUpload: boolean;
  choose: () => void;
}) {
  if (isFiltered)
    return (
      <NothingFits title="No upload fits" names={['search', 'type', 'expiry']}>
        Try a shorter search, another type or any expiry.
      </NothingFits>
    );
  return (
    <Empty
      icon="uploads"
      title="No uploads yet"
      action={
        canUpload && (
          <Button tone="primary" icon="upload" onClick={choose}>
            Choose files
          </Button>
        )
      }
    >
      PNG, JPEG, GIF, WebP, SVG and AVIF, up to 10 MB each. Drop them here, paste from the clipboard, or send
      them with your API key.
    </Empty>
  );
}
