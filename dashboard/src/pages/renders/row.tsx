// One render in the list.
import type { Render } from '#console/views.ts';
import { sameOrigin } from '#app/api.ts';
import { ago, bytes, duration, plural } from '#app/format.ts';
import { madeOf, nameOf, titleOf } from '#app/pages/renders/names.ts';
import { StatusChip } from '#app/pages/renders/status.tsx';
import { CopyIcon } from '#app/parts/copy.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Chip } from '#app/parts/states.tsx';

export function Row({
  render,
  isSelected,
  onToggle,
  onOpen,
}: {
  render: Render;
  isSelected: boolean;
  onToggle: (isRange: boolean) => void;
  onOpen: () => void;
}) {
  const title = titleOf(render);
  const link = render.share_url ?? render.url;
  return (
    <li className={`flex items-center gap-2 px-3 ${isSelected ? 'bg-accent-soft' : 'hover:bg-ink/3'}`}>
      <label className="grid size-8 shrink-0 cursor-pointer place-items-center">
        <input
          type="checkbox"
          checked={isSelected}
          onChange={({ nativeEvent }) => onToggle((nativeEvent as MouseEvent).shiftKey)}
          aria-label={`Select ${title}, ${ago(render.created_at)}`}
          className="size-4 accent-accent"
        />
      </label>
      <button
        type="button"
        onClick={onOpen}
        className="flex min-w-0 flex-1 items-center gap-4 py-2.5 text-left text-sm outline-offset-[-3px]"
      >
        <Thumbnail render={render} />
        <span className="min-w-0 flex-1">
          <span dir="auto" className="block truncate font-medium">
            {title}
          </span>
          {render.title !== null && <span className="block truncate text-quiet">{nameOf(render)}</span>}
          <span className="block truncate text-quiet">{lineOf(render)}</span>
        </span>
        <span className="w-36 text-right text-quiet tabular-nums max-md:hidden">
          {render.size_bytes !== null && `${duration(render.duration_ms)} · ${bytes(render.size_bytes)}`}
        </span>
        <span className="text-right sm:w-24">
          {render.status !== 'done' ? (
            <StatusChip status={render.status} />
          ) : (
            <span className="max-sm:hidden">
              {render.url === null ? <Chip>Not hosted</Chip> : <Chip tone="good">Hosted</Chip>}
            </span>
          )}
        </span>
      </button>
      <span className="w-9 shrink-0">
        {link !== null && <CopyIcon text={link} what={`link of ${title}`} />}
      </span>
    </li>
  );
}

function lineOf(render: Render): string {
  const { size, pages, reference } = render;
  return [
    madeOf(render),
    size && `${size.width} × ${size.height}`,
    pages !== null && plural(pages, 'page'),
    ago(render.created_at),
    reference,
  ]
    .filter(Boolean)
    .join(' · ');
}

function Thumbnail({ render: { kind, thumbnail_url } }: { render: Render }) {
  return (
    <span className="grid h-16 w-24 shrink-0 place-items-center overflow-hidden rounded-md border bg-sunken text-quiet max-sm:h-14 max-sm:w-16">
      {thumbnail_url === null ? (
        <Icon name={kind === 'screenshot' ? 'renders' : 'page'} className="size-7" />
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
