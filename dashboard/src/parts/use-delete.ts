// Deletes uploads or renders, removes them from the loaded pages at once, and restores them.
import type { InfiniteData } from '@tanstack/react-query';
import { call, queries, refresh } from '#app/api.ts';
import { plural } from '#app/format.ts';
import { inChunks } from '#app/parts/in-chunks.ts';
import { note, problem } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Noun = 'upload' | 'render';

export function useDelete(noun: Noun, onDone: () => void) {
  return useAction((ids: string[]) => deleteAll(noun, ids), {
    touches: ['overview'],
    onDone: (deleted) => {
      removeFromPages(noun, new Set(deleted));
      void refresh([`${noun}s`]);
      note(`${plural(deleted.length, noun)} deleted.`, {
        text: 'Undo',
        run: () => void restore(noun, deleted),
      });
      onDone();
    },
  });
}

/** Undoes a deletion: the same links work again. */
export async function restore(noun: Noun, ids: string[]): Promise<void> {
  try {
    const { length: count } = await inChunks(
      ids,
      async (some) => (await call(`POST /${noun}s/restore`, { body: { ids: some } })).restored,
    );
    const links = count === 1 ? 'Its link works' : 'Their links work';
    note(`${plural(count, noun)} restored.${noun === 'upload' ? ` ${links} again.` : ''}`);
  } catch (error) {
    problem(error);
  }
  await refresh([`${noun}s`, 'overview']);
}

const deleteAll = (noun: Noun, ids: string[]): Promise<string[]> =>
  inChunks(ids, async (some) => (await call(`POST /${noun}s/delete`, { body: { ids: some } })).deleted);

function removeFromPages(noun: Noun, gone: Set<string>): void {
  queries.setQueriesData<InfiniteData<{ items: { id: string }[] }>>(
    { queryKey: [`${noun}s`], predicate: ({ queryKey }) => typeof queryKey[1] === 'object' },
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
