// One request in the log: a row of aligned columns that expands to its details.
import { useId } from 'react';
import { ago, duration, exactTime, plural, time } from '#app/format.ts';
import { Details, type RequestItem } from '#app/pages/requests/details.tsx';
import { targetName } from '#app/pages/renders/names.ts';
import { Icon } from '#app/parts/icon.tsx';
import { Chip } from '#app/parts/states.tsx';

/** The columns of every row and of the header: status, path, outcome, key, time, duration, arrow. */
const columns =
  'grid items-center gap-x-4 px-4 text-sm grid-cols-[2.75rem_minmax(0,1fr)_auto_1rem] ' +
  'md:grid-cols-[2.75rem_10.5rem_minmax(0,1fr)_7.5rem_4.5rem_1rem] ' +
  'xl:grid-cols-[2.75rem_10.5rem_minmax(0,1fr)_9rem_12rem_4.5rem_1rem]';

export function Headings() {
  return (
    <div
      aria-hidden="true"
      className={`${columns} h-9 border-b text-xs font-medium text-quiet max-md:hidden`}
    >
      <span>Status</span>
      <span>Path</span>
      <span>Outcome</span>
      <span className="max-xl:hidden">Key</span>
      <span>Time</span>
      <span className="text-right">Took</span>
    </div>
  );
}

export function Row({
  item,
  isOpen,
  onToggle,
}: {
  item: RequestItem;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const detailsId = useId();
  const tone = item.status < 300 ? 'good' : item.status >= 500 ? 'danger' : 'warn';
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={onToggle}
        className={`${columns} min-h-10 w-full text-left outline-offset-[-3px] transition hover:bg-ink/3 max-md:py-2 ${isOpen ? 'bg-ink/3' : ''}`}
      >
        <span>
          <Chip tone={tone}>{item.status}</Chip>
        </span>
        <code className="truncate font-mono text-[0.8125rem]">{item.path}</code>
        <span className="truncate max-md:order-last max-md:col-span-2 max-md:col-start-2 max-md:text-quiet">
          <Outcome item={item} />
        </span>
        <span className="truncate text-quiet max-xl:hidden">{item.key_name ?? 'no key'}</span>
        <time
          dateTime={item.at}
          title={ago(item.at)}
          className="truncate text-quiet tabular-nums max-md:hidden"
        >
          <span className="max-xl:hidden">{exactTime(item.at)}</span>
          <span className="xl:hidden">{time(item.at)}</span>
        </time>
        <span className="text-right text-quiet tabular-nums">{duration(item.duration_ms)}</span>
        <Icon
          name="right"
          className={`size-4 text-quiet transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      <div id={detailsId}>{isOpen && <Details item={item} />}</div>
    </li>
  );
}

function Outcome({ item }: { item: RequestItem }) {
  if (item.code !== null)
    return (
      <>
        <span className="font-medium text-ink">{item.code}</span>
        {item.reason !== null && <span className="text-quiet">: {item.reason}</span>}
      </>
    );
  return (
    <span className="text-quiet">
      {outcomeOf(item)}
      <span className="md:hidden"> · {ago(item.at)}</span>
    </span>
  );
}

/** A repeat that got its stored answer, or an earlier result, made nothing. */
function outcomeOf({ kind, made: [first, ...others] }: RequestItem): string {
  if (kind === 'change') return 'Changed';
  if (first === undefined) return 'Answered';
  if (kind === 'upload') return `Stored ${plural(1 + others.length, 'file')}`;
  const target = first.target === null ? '' : ` ${targetName(first.target)}`;
  return `${kind === 'queued' ? 'Queued' : 'Rendered'}${target}`;
}
