// One upload in the grid.
import type { Upload } from '#console/views.ts';
import { ago, bytes, isWithin } from '#app/format.ts';
import { isUsedUp } from '#app/pages/uploads/views-used-up.tsx';
import { CopyIcon } from '#app/parts/copy.tsx';
import { Chip } from '#app/parts/states.tsx';
import { Thumbnail } from '#app/parts/thumbnail.tsx';

const soonMs = 7 * 86_400_000;

export function Tile({
  upload,
  isSelected,
  onToggle,
  onOpen,
}: {
  upload: Upload;
  isSelected: boolean;
  onToggle: (isRange: boolean) => void;
  onOpen: () => void;
}) {
  const { filename, expires_at } = upload;
  const isSoon = expires_at !== null && isWithin(expires_at, soonMs);
  return (
    <li
      className={`group relative tile min-w-0 overflow-hidden card transition ${isSelected ? 'border-accent ring-1 ring-accent' : 'hover:border-edge'}`}
    >
      <button
        type="button"
        onClick={onOpen}
        className="block w-full text-left outline-offset-[-2px]"
        aria-label={`Open ${filename}`}
      >
        <span className="block overflow-hidden border-b checkered">
          <Thumbnail upload={upload} />
        </span>
      </button>
      <label className="absolute top-2 left-2 grid size-8 cursor-pointer place-items-center rounded-lg bg-card/90 opacity-0 shadow-small transition group-hover:opacity-100 focus-within:opacity-100 has-checked:opacity-100 pointer-coarse:opacity-100">
        <input
          type="checkbox"
          checked={isSelected}
          onChange={({ nativeEvent }) => onToggle((nativeEvent as MouseEvent).shiftKey)}
          aria-label={`Select ${filename}`}
          className="size-4 accent-accent"
        />
      </label>
      <div className="flex items-center gap-1 py-2 pr-1.5 pl-3">
        <div className="min-w-0 flex-1">
          <p dir="auto" className="truncate text-sm font-medium" title={filename}>
            {filename}
          </p>
          <p className="truncate text-sm text-quiet">
            <span className="max-sm:hidden">{bytes(upload.size_bytes)} · </span>
            {ago(upload.created_at)}
            {upload.guarded && ` · ${upload.has_password ? 'password' : 'counted'}`}
          </p>
        </div>
        <CopyIcon text={upload.url} what={`link of ${filename}`} />
      </div>
      {(isSoon || isUsedUp(upload)) && (
        <span className="absolute top-2 right-2">
          <Chip tone="warn">{isUsedUp(upload) ? 'Views used up' : `Expires ${ago(expires_at!)}`}</Chip>
        </span>
      )}
    </li>
  );
}
