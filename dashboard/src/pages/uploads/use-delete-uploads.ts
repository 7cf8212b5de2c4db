// Deletes uploads, removes them from the loaded pages at once, and restores them.
import type { InfiniteData } from '@tanstack/react-query';
import type { AnswerOf } from '#http/dashboard/handlers.ts';
import { call, queries, refresh } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { inChunks } from '#app/pages/uploads/in-chunks.ts';
import { note, problem } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';

export function useDeleteUploads(onDone: () => void) {
  return useAction(deleteAll, {
    touches: ['overview'],
    onDone: (deleted) => {
      removeFromPages(new Set(deleted));
      void refresh(['uploads']);
      note(`${plural(deleted.length, 'upload')} deleted.`, {
        text: 'Undo',
        run: () => void restore(deleted),
      });
      onDone();
    },
  });
}

/** Undoes a deletion: the same links work again. */
export async function restore(ids: string[]): Promise<void> {
  try {
    const { length: count } = await inChunks(
      ids,
      async (some) => (await call('POST /uploads/restore', { body: { ids: some } })).restored,
    );
    note(
      `${plural(count, 'upload')} restored. ${count === 1 ? 'Its link works' : 'Their links work'} again.`,
    );
  } catch (error) {
    problem(error);
  }
  await refresh(['uploads', 'overview']);
}

const deleteAll = (ids: string[]): Promise<string[]> =>
  inChunks(ids, async (some) => (await call('POST /uploads/delete', { body: { ids: some } })).deleted);

function removeFromPages(gone: Set<string>): void {
  queries.setQueriesData<InfiniteData<AnswerOf<'GET /uploads'>>>(
    { queryKey: ['uploads'], predicate: ({ queryKey }) => typeof queryKey[1] === 'object' },
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
