// Uploads deleted in the last 7 days, which can still be restored.
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '#http/dashboard/handlers.ts';
import { call } from '#app/api.ts';
import { ago, bytes } from '#app/format.ts';
import { restore } from '#app/pages/uploads/use-delete-uploads.ts';
import { Button } from '#app/parts/button.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Item = AnswerOf<'GET /uploads/deleted'>['items'][number];

export function DeletedUploads() {
  const { data } = useQuery({
    queryKey: ['uploads', 'deleted'],
    queryFn: () => call('GET /uploads/deleted'),
  });
  if (!data || data.items.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="font-medium text-quiet">Recently deleted ({data.items.length})</summary>
      <ul className="mt-3 card divide-y divide-line">
        {data.items.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
    </details>
  );
}

function Row({ item }: { item: Item }) {
  const back = useAction(() => restore([item.id]));
  const purge = useAction(() => call('POST /uploads/purge', { body: { ids: [item.id] } }), {
    touches: ['uploads'],
    done: 'Deleted for good.',
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <span dir="auto" className="min-w-0 flex-1 basis-40 truncate">
        {item.filename}
      </span>
      <span className="text-quiet tabular-nums">{bytes(item.size_bytes)}</span>
      <span className="text-quiet">gone {ago(item.restorable_until)}</span>
      <span className="flex gap-2">
        <Button
          small
          busy={back.isPending}
          onClick={() => back.mutate(undefined)}
          aria-label={`Restore ${item.filename}`}
        >
          Restore
        </Button>
        <Button
          small
          tone="remove"
          busy={purge.isPending}
          onClick={() => purge.mutate(undefined)}
          aria-label={`Delete now: ${item.filename}`}
        >
          Delete now
        </Button>
      </span>
    </li>
  );
}
