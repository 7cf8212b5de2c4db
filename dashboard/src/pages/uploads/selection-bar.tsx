// What can be done with several uploads at once.
import type { Upload } from '#http/dashboard/schemas/files.ts';
import { bytes, plural } from '#app/format.ts';
import type { Selection } from '#app/pages/uploads/use-selection.ts';
import { Button } from '#app/parts/button.tsx';
import { CopyButton } from '#app/parts/copy.tsx';

export function SelectionBar({
  selection,
  hasMore,
  onDelete,
}: {
  selection: Selection<Upload>;
  /** Whether the list goes on past what is shown. */
  hasMore: boolean;
  onDelete: () => void;
}) {
  const { items } = selection;
  if (items.length === 0) return null;
  const sizeBytes = items.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return (
    <div
      role="status"
      className="sticky top-16 z-10 flex flex-wrap items-center gap-3 card px-4 py-2.5 shadow-large lg:top-4"
    >
      <p className="flex-1 font-medium">
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
      <Button small tone="danger" icon="trash" onClick={onDelete}>
        Delete
      </Button>
    </div>
  );
}
