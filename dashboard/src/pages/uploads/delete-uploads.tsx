// Asks for confirmation before uploads are deleted, and shows which ones.
import type { Upload } from '#console/views.ts';
import { limits } from '#core/limits.ts';
import { sameOrigin } from '#app/api.ts';
import { number, plural, span } from '#app/format.ts';
import { Confirm } from '#app/parts/dialog.tsx';
import { useDelete } from '#app/parts/use-delete.ts';

const shownAtMost = 8;

export function DeleteUploads({
  ids,
  uploads,
  onDeleted,
  onClose,
}: {
  ids: string[];
  /** Those of them that are loaded. */
  uploads: Upload[];
  onDeleted: () => void;
  onClose: () => void;
}) {
  const remove = useDelete('upload', onDeleted);
  const isOne = ids.length === 1;
  const shown = uploads.slice(0, shownAtMost);
  const what = isOne ? (shown[0]?.filename ?? 'this upload') : plural(ids.length, 'upload');
  return (
    <Confirm
      title={`Delete ${what}?`}
      action={isOne ? 'Delete' : `Delete ${plural(ids.length, 'upload')}`}
      of={remove}
      onConfirm={() => remove.mutate(ids)}
      onClose={onClose}
    >
      <ul className="grid gap-1.5 text-sm text-ink">
        {shown.map((upload) => (
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
        {ids.length > shown.length && <li>and {number(ids.length - shown.length)} more</li>}
      </ul>
      <p>
        Links stop working at once; browsers that showed a picture may keep their copy for up to five minutes.
        You can restore {isOne ? 'it' : 'them'} for {span(limits.restorableMs / 1000)}; then the{' '}
        {isOne ? 'file is' : 'files are'} gone.
      </p>
    </Confirm>
  );
}
