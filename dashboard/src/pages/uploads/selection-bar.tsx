// Actions on several uploads at once.
import type { Upload } from '#http/dashboard/views.ts';
import { limits } from '#core/limits.ts';
import { call, fileAddress } from '#app/api.ts';
import { bytes, plural, span } from '#app/format.ts';
import { inChunks } from '#app/pages/uploads/in-chunks.ts';
import type { Selection } from '#app/pages/uploads/use-selection.ts';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { CopyButton } from '#app/parts/copy.tsx';
import { Select } from '#app/parts/field.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';
import type { Session } from '#app/session.ts';
import { livesWithin } from '#app/uploading/expiry.tsx';

export function SelectionBar({
  selection,
  hasMore,
  session,
  onDelete,
}: {
  selection: Selection<Upload>;
  /** Whether there are more uploads than the loaded ones. */
  hasMore: boolean;
  session: Session;
  onDelete: () => void;
}) {
  const { items } = selection;
  if (items.length === 0) return null;
  const sizeBytes = items.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const ids = items.map(({ id }) => id);
  return (
    <div
      role="region"
      aria-label="Selected uploads"
      className="sticky top-16 z-10 flex flex-wrap items-center gap-2 card px-4 py-2.5 shadow-large lg:top-4"
    >
      <p role="status" className="flex-1 basis-48 font-medium">
        {plural(items.length, 'upload')} selected{' '}
        <span className="font-normal text-quiet">{bytes(sizeBytes)}</span>
      </p>
      <Button small tone="quiet" onClick={selection.all}>
        {hasMore ? 'Select all loaded' : 'Select all'}
      </Button>
      <Button small tone="quiet" onClick={selection.clear}>
        Clear
      </Button>
      <CopyButton text={items.map(({ url }) => url).join('\n')} what={plural(items.length, 'link')}>
        Copy links
      </CopyButton>
      <ChangeExpiry ids={ids} session={session} />
      <Zip ids={ids} />
      <Button small tone="danger" icon="trash" onClick={onDelete}>
        Delete
      </Button>
    </div>
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
