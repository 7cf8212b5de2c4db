// Deletes uploads, removes them from the loaded pages at once, and restores them.
import type { InfiniteData } from '@tanstack/react-query';
import type { AnswerOf } from '#http/dashboard/contract.ts';
import { call, queries } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { note, problem } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';

/** The most ids in one request. */
const atOnce = 200;

export function useDeleteUploads(onDone: () => void) {
  return useAction(deleteAll, {
    touches: ['overview'],
    onDone: (deleted) => {
      takeAway(new Set(deleted));
      void queries.invalidateQueries({ queryKey: ['uploads'] });
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
    let count = 0;
    for (let start = 0; start < ids.length; start += atOnce) {
      const answer = await call('POST /uploads/restore', { body: { ids: ids.slice(start, start + atOnce) } });
      count += answer.restored.length;
    }
    note(
      `${plural(count, 'upload')} restored. ${count === 1 ? 'Its link works' : 'Their links work'} again.`,
    );
  } catch (error) {
    problem(error);
  }
  for (const key of ['uploads', 'overview']) void queries.invalidateQueries({ queryKey: [key] });
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
