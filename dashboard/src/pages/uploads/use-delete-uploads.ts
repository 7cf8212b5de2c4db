// Deletes uploads, and takes them from the shown pages at once.
import type { InfiniteData } from '@tanstack/react-query';
import type { AnswerOf } from '#http/dashboard/contract.ts';
import { call, queries } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';

/** As many as one request takes. */
const atOnce = 200;

export function useDeleteUploads(onDone: () => void) {
  return useAction(deleteAll, {
    touches: ['overview'],
    onDone: (deleted) => {
      takeAway(new Set(deleted));
      void queries.invalidateQueries({ queryKey: ['uploads'] });
      note(`${plural(deleted.length, 'upload')} deleted.`);
      onDone();
    },
  });
}

async function deleteAll(ids: string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (let start = 0; start < ids.length; start += atOnce) {
    const answer = await call('POST /uploads/delete', { body: { ids: ids.slice(start, start + atOnce) } });
    deleted.push(...answer.deleted);
  }
  return deleted;
}

function takeAway(gone: Set<string>): void {
  queries.setQueriesData<InfiniteData<AnswerOf<'GET /uploads'>>>(
    { queryKey: ['uploads'], predicate: ({ queryKey }) => queryKey[1] !== 'one' },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.filter(({ id }) => !gone.has(id)),
        })),
      },
  );
}
