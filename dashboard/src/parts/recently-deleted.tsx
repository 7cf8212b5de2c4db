// What was deleted in the last 7 days and can still be restored.
import { ago, bytes } from '#app/format.ts';
import { Button } from '#app/parts/button.tsx';
import { useAction } from '#app/parts/use-action.ts';

interface Item {
  id: string;
  name: string;
  size_bytes: number | null;
  restorable_until: string;
}

interface Actions {
  restore: (ids: string[]) => Promise<void>;
  purge: (ids: string[]) => Promise<unknown>;
  /** What is shown anew afterwards. */
  touches: string[];
}

export function RecentlyDeleted({ items, ...actions }: { items: Item[] } & Actions) {
  if (items.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="font-medium text-quiet">Recently deleted ({items.length})</summary>
      <ul className="mt-3 card divide-y divide-line">
        {items.map((item) => (
          <Row key={item.id} item={item} {...actions} />
        ))}
      </ul>
    </details>
  );
}

function Row({ item: { id, name, ...item }, restore, purge, touches }: { item: Item } & Actions) {
  const back = useAction(() => restore([id]));
  const end = useAction(() => purge([id]), { touches, done: 'Deleted for good.' });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <span dir="auto" className="min-w-0 flex-1 basis-40 truncate">
        {name}
      </span>
      <span className="text-quiet tabular-nums">{bytes(item.size_bytes)}</span>
      <span className="text-quiet">gone {ago(item.restorable_until)}</span>
      <span className="flex gap-2">
        <Button
          small
          busy={back.isPending}
          onClick={() => back.mutate(undefined)}
          aria-label={`Restore ${name}`}
        >
          Restore
        </Button>
        <Button
          small
          tone="remove"
          busy={end.isPending}
          onClick={() => end.mutate(undefined)}
          aria-label={`Delete now: ${name}`}
        >
          Delete now
        </Button>
      </span>
    </li>
  );
}
