// Asks for confirmation before uploads are deleted, and shows which ones.
import type { Upload } from '#http/dashboard/views.ts';
import { limits } from '#core/limits.ts';
import { sameOrigin } from '#app/api.ts';
import { plural, span } from '#app/format.ts';
import { useDeleteUploads } from '#app/pages/uploads/use-delete-uploads.ts';
import { Confirm } from '#app/parts/dialog.tsx';

const shownAtMost = 8;

export function DeleteUploads({
  uploads,
  onDeleted,
  onClose,
}: {
  uploads: Upload[];
  onDeleted: () => void;
  onClose: () => void;
}) {
  const remove = useDeleteUploads(onDeleted);
  const what = uploads.length === 1 ? uploads[0]!.filename : plural(uploads.length, 'upload');
  return (
    <Confirm
      title={`Delete ${what}?`}
      action={uploads.length === 1 ? 'Delete' : `Delete ${plural(uploads.length, 'upload')}`}
      of={remove}
      onConfirm={() => remove.mutate(uploads.map(({ id }) => id))}
      onClose={onClose}
    >
      <ul className="grid gap-1.5 text-sm text-ink">
        {uploads.slice(0, shownAtMost).map((upload) => (
          <li key={upload.id} className="flex items-center gap-3">
            <span className="grid size-9 shrink-0 place-items-center overflow-hidden rounded-md border checkered">
              <img
                src={sameOrigin(upload.thumbnail_url)}
                alt=""
                className="max-h-full max-w-full object-contain"
              />
            </span>
            <span dir="auto" className="min-w-0 truncate">
              {upload.filename}
            </span>
          </li>
        ))}
        {uploads.length > shownAtMost && <li>and {uploads.length - shownAtMost} more</li>}
      </ul>
      <p>
        Links stop working at once; browsers that showed a picture may keep their copy for up to five minutes.
        You can restore {uploads.length === 1 ? 'it' : 'them'} for {span(limits.restorableMs / 1000)}; then
        the {uploads.length === 1 ? 'file is' : 'files are'} gone.
      </p>
    </Confirm>
  );
}
