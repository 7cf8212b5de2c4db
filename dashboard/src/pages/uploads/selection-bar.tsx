// Actions on several uploads at once.
import { useState } from 'react';
import type { QueryOf } from '#console/contract.ts';
import type { Upload } from '#console/views.ts';
import { limits } from '#core/limits.ts';
import { call, fileAddress } from '#app/api.ts';
import { bytes, plural, span } from '#app/format.ts';
import { textOf } from '#app/forms.ts';
import { CreateAlbum } from '#app/pages/albums/dialogs.tsx';
import { albumChoices, useAlbums } from '#app/pages/albums/use-albums.ts';
import { inChunks } from '#app/parts/in-chunks.ts';
import type { Selection } from '#app/parts/use-selection.ts';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { CopyButton } from '#app/parts/copy.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { Select, TextField } from '#app/parts/field.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';
import type { Session } from '#app/session.ts';
import { livesWithin } from '#app/uploading/expiry.tsx';

export function SelectionBar({
  selection,
  filter,
  hasMore,
  session,
  onDelete,
}: {
  selection: Selection<Upload>;
  /** What the list shows. */
  filter: QueryOf<'GET /uploads/ids'>;
  /** Whether there are more uploads than the loaded ones. */
  hasMore: boolean;
  session: Session;
  onDelete: () => void;
}) {
  const { ids, items } = selection;
  const all = useAction(() => call('GET /uploads/ids', { query: filter }), {
    onDone: (found) => selection.put(found.ids),
  });
  if (ids.length === 0) return null;
  const isLoaded = ids.length === items.length;
  const sizeBytes = items.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return (
    <div
      role="region"
      aria-label="Selected uploads"
      className="sticky top-16 z-10 flex flex-wrap items-center gap-2 card px-4 py-2.5 shadow-large lg:top-4"
    >
      <p role="status" className="flex-1 basis-48 font-medium">
        {plural(ids.length, 'upload')} selected{' '}
        {isLoaded && <span className="font-normal text-quiet">{bytes(sizeBytes)}</span>}
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
      {isLoaded && (
        <CopyButton text={items.map(({ url }) => url).join('\n')} what={plural(items.length, 'link')}>
          Copy links
        </CopyButton>
      )}
      <MoveToAlbum ids={ids} session={session} />
      <AddTag ids={ids} />
      <ChangeExpiry ids={ids} session={session} />
      <Zip ids={ids} />
      <Button small tone="danger" icon="trash" onClick={onDelete}>
        Delete
      </Button>
    </div>
  );
}

function MoveToAlbum({ ids, session }: { ids: string[]; session: Session }) {
  const [isCreating, setCreating] = useState(false);
  const move = useAction(
    (album: string | null) =>
      inChunks(
        ids,
        async (some) => (await call('POST /uploads/move', { body: { ids: some, album } })).changed,
      ),
    {
      touches: ['uploads', 'albums'],
      onDone: (changed) => note(`Album of ${plural(changed.length, 'upload')} changed.`),
    },
  );
  const choices = [
    { value: '', text: 'Move to album' },
    { value: 'new', text: 'New album …' },
    ...albumChoices(useAlbums()),
    { value: 'none', text: 'No album' },
  ];
  return (
    <>
      <Select
        small
        aria-label="Move to album"
        className="max-w-44"
        choices={choices}
        value=""
        disabled={move.isPending}
        onChange={({ target: { value } }) => {
          if (value === 'new') setCreating(true);
          else if (value !== '') move.mutate(value === 'none' ? null : value);
        }}
      />
      {isCreating && (
        <CreateAlbum
          session={session}
          onMade={({ id }) => {
            setCreating(false);
            move.mutate(id);
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

function AddTag({ ids }: { ids: string[] }) {
  const [isOpen, setOpen] = useState(false);
  const add = useAction(
    (tag: string) =>
      inChunks(ids, async (some) => (await call('POST /uploads/tag', { body: { ids: some, tag } })).changed),
    {
      touches: ['uploads'],
      quiet: true,
      onDone: (changed) => {
        setOpen(false);
        note(`${plural(changed.length, 'upload')} tagged.`);
      },
    },
  );
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Add tag
      </Button>
      {isOpen && (
        <FormDialog
          title={`Add a tag to ${plural(ids.length, 'upload')}`}
          action="Add tag"
          of={add}
          onSend={(form) => add.mutate(textOf(form, 'tag').trim())}
          onClose={() => setOpen(false)}
        >
          <TextField label="Tag" name="tag" required maxLength={40} placeholder="sea, invoice …" />
        </FormDialog>
      )}
    </>
  );
}

function ChangeExpiry({ ids, session }: { ids: string[]; session: Session }) {
  const cap = session.plan.max_link_seconds;
  const change = useAction(
    (seconds: number | null) =>
      inChunks(
        ids,
        async (some) =>
          (await call('POST /uploads/expiry', { body: { ids: some, expires_in: seconds } })).changed,
      ),
    {
      touches: ['uploads', 'overview'],
      onDone: (changed) => note(`Expiry of ${plural(changed.length, 'upload')} changed.`),
    },
  );
  const choices = [
    { value: '', text: 'Change expiry' },
    ...(cap === null ? [{ value: 'never', text: 'Never expire' }] : []),
    ...livesWithin(cap).map((seconds) => ({ value: String(seconds), text: `Expire in ${span(seconds)}` })),
  ];
  return (
    <Select
      small
      aria-label="Change expiry"
      choices={choices}
      value=""
      disabled={change.isPending}
      onChange={({ target }) => {
        if (target.value !== '') change.mutate(target.value === 'never' ? null : Number(target.value));
      }}
    />
  );
}

/** A link, so that the browser streams the archive to disk. */
function Zip({ ids }: { ids: string[] }) {
  if (ids.length > limits.filesPerZip)
    return (
      <Button small icon="download" disabled title={`An archive has at most ${limits.filesPerZip} files.`}>
        Zip: {limits.filesPerZip} at most
      </Button>
    );
  return (
    <AnchorButton small icon="download" href={fileAddress('/uploads/zip', { ids: ids.join(',') })} download>
      Download zip
    </AnchorButton>
  );
}
